import type { AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { AlertChannelRow, AlertDeliveryRow, AlertRow } from '../../database/schema/alert-tables.ts';
import type { Part } from '../../database/sql/bounded-search.ts';
import { firstIdAt } from '../../runtime/clock.ts';
import { isWaiting } from '../channels/alert-channel-store.ts';
import { type Known, keyOf } from '../rules/what-to-tell.ts';
import { byType, isAmong } from './condition-store.ts';

/** To which channels each of these was told, by `keyOf`: those where it was not given up. */
export async function listHearers(db: Db, ended: readonly Known[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const hearers = new Map<string, Set<string>>();
  const since = new Map(ended.map((each) => [keyOf(each), firstIdAt(each.firstAt)]));
  for (const each of byType(ended)) {
    const oldest = firstIdAt(Math.min(...each.map(({ firstAt }) => firstAt)));
    const { rows } = await sql<AlertRow & Pick<AlertDeliveryRow, 'channel_id' | 'state'>>`
      select alert.*, d.channel_id, d.state from alert
      join alert_delivery as d on d.alert_id = alert.id
      where ${isAmong(each, 'alert')} and alert.id >= ${oldest}`.execute(db);
    for (const { id, type, organization_id, about_id, channel_id, state } of rows) {
      const key = keyOf({ type: type as AlertType, organizationId: organization_id, aboutId: about_id });
      if (id < (since.get(key) ?? '')) continue;
      const channels = hearers.get(key) ?? new Set();
      if (state !== 'failed') channels.add(channel_id);
      hearers.set(key, channels);
    }
  }
  return hearers;
}

const rowsPerInsert = 500;

export async function insertAlerts(
  trx: Db,
  alerts: readonly AlertRow[],
  deliveries: readonly AlertDeliveryRow[],
): Promise<void> {
  for (const rows of inParts(alerts, rowsPerInsert)) await trx.insertInto('alert').values(rows).execute();
  for (const rows of inParts(deliveries, rowsPerInsert)) await trx.insertInto('alert_delivery').values(rows).execute();
}

export function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** A new alert is tried at once, however long its channel has accepted nothing. */
export async function wakeChannels(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.updateTable('alert_channel').set({ retry_at: 0 }).where('id', 'in', ids).execute();
}

/** Newest first. @param organizationId empty: the instance's; undefined: all */
export async function listAlerts(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<AlertRow[]> {
  let query = db.selectFrom('alert').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(take).execute();
}

export type ListedDelivery = AlertDeliveryRow & Pick<AlertChannelRow, 'retry_at'>;

/** `retry_at` is when the channel is tried again. */
export async function listDeliveries(db: Db, alertIds: readonly string[]): Promise<ListedDelivery[]> {
  if (alertIds.length === 0) return [];
  const rows = await db
    .selectFrom('alert_delivery')
    .leftJoin('alert_channel', 'alert_channel.id', 'alert_delivery.channel_id')
    .selectAll('alert_delivery')
    .select('alert_channel.retry_at')
    .where('alert_id', 'in', alertIds)
    .orderBy('alert_delivery.channel')
    .orderBy('alert_delivery.channel_id')
    .execute();
  return rows.map((row) => ({ ...row, retry_at: row.retry_at ?? 0 }));
}

/** Channels for which something waits that may be tried now. */
export async function listDueChannels(
  db: Db,
  now: number,
): Promise<readonly Pick<AlertChannelRow, 'id' | 'organization_id'>[]> {
  return db
    .selectFrom('alert_channel')
    .select(['id', 'organization_id'])
    .where('enabled', '=', 1)
    .where('retry_at', '<=', now)
    .where((where) =>
      where.exists(
        where
          .selectFrom('alert_delivery')
          .select('alert_id')
          .whereRef('alert_delivery.channel_id', '=', 'alert_channel.id')
          .where(isWaiting),
      ),
    )
    .orderBy('id')
    .execute();
}

/** A channel as it is now, if it may be tried. */
export async function findDueChannel(db: Db, id: string, now: number): Promise<AlertChannelRow | undefined> {
  return db
    .selectFrom('alert_channel')
    .selectAll()
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where('retry_at', '<=', now)
    .executeTakeFirst();
}

/** The next digest of a channel: the one that was tried longest ago, then the oldest. Empty when none waits. */
export async function readNextDigest(
  db: Db,
  channelId: string,
): Promise<readonly (AlertRow & { digest_id: string })[]> {
  const next = await db
    .selectFrom('alert_delivery')
    .select('digest_id')
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .orderBy('tried_at')
    .orderBy('digest_id')
    .limit(1)
    .executeTakeFirst();
  if (next === undefined) return [];
  return db
    .selectFrom('alert_delivery')
    .innerJoin('alert', 'alert.id', 'alert_delivery.alert_id')
    .selectAll('alert')
    .select('alert_delivery.digest_id')
    .where('alert_delivery.channel_id', '=', channelId)
    .where(isWaiting)
    .where('alert_delivery.digest_id', '=', next.digest_id)
    .orderBy('alert.id')
    .execute();
}

export interface DeliveryAttempt {
  readonly channelId: string;
  readonly alertIds: readonly string[];
  readonly state: AlertDeliveryRow['state'];
  readonly error: string | null;
  readonly at: number;
}

/** Records an attempt, unless what it was about has ended meanwhile. */
export async function recordAttempt(
  trx: Db,
  { channelId, alertIds, state, error, at }: DeliveryAttempt,
): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set({
      state,
      last_error: error,
      attempts: sql<number>`attempts + 1`,
      tried_at: at,
      ended_at: state === 'waiting' ? null : at,
    })
    .where('channel_id', '=', channelId)
    .where('alert_id', 'in', alertIds)
    .where(isWaiting)
    .execute();
}

/** Gives up what was told before this alert. @returns how much that was */
export async function giveUpBefore(db: Db, channelId: string, alertId: string, at: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('alert_delivery')
    .set({ state: 'failed', ended_at: at, last_error: sql`coalesce(last_error, 'It waited for more than a day.')` })
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .where('alert_id', '<', alertId)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Ends what waits for channels that are gone or disabled: one may have been while a look wrote. */
export async function endUnsendable(db: Db, at: number): Promise<void> {
  await db
    .updateTable('alert_delivery')
    .set({ state: 'failed', ended_at: at, last_error: 'The channel was disabled or deleted.' })
    .where(isWaiting)
    .where('channel_id', 'not in', (from) => from.selectFrom('alert_channel').select('id').where('enabled', '=', 1))
    .execute();
}

/** @returns whether the channel is as it was when the attempt began; else nothing is recorded */
export async function recordChannelAttempt(
  trx: Db,
  { id, updated_at }: Pick<AlertChannelRow, 'id' | 'updated_at'>,
  attempt: Pick<AlertChannelRow, 'failures' | 'retry_at' | 'last_error'> &
    Partial<Pick<AlertChannelRow, 'last_sent_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('alert_channel')
    .set(attempt)
    .where('id', '=', id)
    .where('updated_at', '=', updated_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The suspended organizations. */
export async function listSuspended(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('organization').select('id').where('suspended_at', 'is not', null).execute();
  return new Set(rows.map(({ id }) => id));
}

const rowsPerDelete = 500;

/** Removes alerts told before an id, in chunks. */
export async function forgetAlerts({ db }: Pick<Database, 'db'>, before: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const oldest = await db
      .selectFrom('alert')
      .select('id')
      .where('id', '<', before)
      .orderBy('id')
      .limit(rowsPerDelete)
      .execute();
    const last = oldest.at(-1);
    if (last === undefined) return;
    await db.deleteFrom('alert_delivery').where('alert_id', '<=', last.id).execute();
    await db.deleteFrom('alert').where('id', '<=', last.id).execute();
    if (oldest.length < rowsPerDelete) return;
  }
}
