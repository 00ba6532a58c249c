import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import type { Part } from '../../database/sql/bounded-search.ts';

export async function insertChannel(trx: Db, row: AlertChannelRow): Promise<void> {
  await trx.insertInto('alert_channel').values(row).execute();
}

export async function findChannel(db: Db, id: string): Promise<AlertChannelRow | undefined> {
  return db.selectFrom('alert_channel').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The channel as it is now, for this transaction alone. */
export async function lockChannel(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<AlertChannelRow | undefined> {
  return trx
    .selectFrom('alert_channel')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'alert_channel'))
    .executeTakeFirst();
}

/** In the order of creation. @param organizationId empty: the instance's; undefined: all */
export async function listChannels(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<AlertChannelRow[]> {
  let query = db.selectFrom('alert_channel').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return query
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(take)
    .execute();
}

export async function countChannels(trx: Db, organizationId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('alert_channel')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The columns that decide which channels hear of an alert. */
export type ListeningChannel = Pick<
  AlertChannelRow,
  'id' | 'organization_id' | 'kind' | 'name' | 'recipients' | 'host' | 'created_at'
>;

/** All that are enabled, oldest first. */
export async function listListening(db: Db): Promise<ListeningChannel[]> {
  return db
    .selectFrom('alert_channel')
    .select(['id', 'organization_id', 'kind', 'name', 'recipients', 'host', 'created_at'])
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();
}

export async function updateChannel(trx: Db, id: string, change: Partial<AlertChannelRow>): Promise<void> {
  await trx.updateTable('alert_channel').set(change).where('id', '=', id).execute();
}

/** @returns whether it existed */
export async function deleteChannel(trx: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('alert_channel').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** As a literal: by it both databases see that a partial index has these rows. */
export const isWaiting = sql<boolean>`alert_delivery.state = 'waiting'`;

/** Ends what waits for a channel that gets nothing any more. */
export async function endWaiting(trx: Db, channelId: string, why: string, at: number): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set({ state: 'failed', ended_at: at, last_error: why })
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .execute();
}

/** Ids of the master keys that any channel is sealed with. */
export async function listChannelKeys(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_channel')
    .select('key_id')
    .where('key_id', 'is not', null)
    .distinct()
    .execute();
  return rows.flatMap(({ key_id }) => key_id ?? []);
}

type SealedChannel = AlertChannelRow & { readonly sealed: Uint8Array; readonly key_id: string };

/** Channels sealed with another master key than `keyId`. */
export async function listSealedOtherwise(db: Db, keyId: string, limit: number): Promise<SealedChannel[]> {
  const rows = await db
    .selectFrom('alert_channel')
    .selectAll()
    .where('key_id', '!=', keyId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as SealedChannel[];
}

/** Sealed ones in the order of their ids, after `after`. */
export async function listSealed(db: Db, after: string, limit: number): Promise<SealedChannel[]> {
  const rows = await db
    .selectFrom('alert_channel')
    .selectAll()
    .where('key_id', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as SealedChannel[];
}

/** The same content under another key, unless it has changed meanwhile. */
export async function replaceSealedChannel(
  trx: Db,
  { id, sealed: former }: SealedChannel,
  sealed: Uint8Array,
  keyId: string,
): Promise<void> {
  await trx
    .updateTable('alert_channel')
    .set({ sealed, key_id: keyId })
    .where('id', '=', id)
    .where('sealed', '=', former)
    .execute();
}
