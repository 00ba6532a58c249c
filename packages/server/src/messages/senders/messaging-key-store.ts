import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';

export async function insertMessagingKey(db: Db, row: MessagingKeyRow): Promise<void> {
  await db.insertInto('messaging_key').values(row).execute();
}

export async function findMessagingKey(db: Db, id: string): Promise<MessagingKeyRow | undefined> {
  return db.selectFrom('messaging_key').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findMessagingKeys(db: Db, ids: readonly string[]): Promise<MessagingKeyRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('messaging_key').selectAll().where('id', 'in', ids).execute();
}

/** Names of messaging keys, by their ids. */
export async function namesOfMessagingKeys(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map((await findMessagingKeys(db, ids)).map(({ id, name }) => [id, name]));
}

/** Which part of a list: so many behind an id. */
export interface KeyPart {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** In the order they were made. @param part all of them when it is left out */
export async function listMessagingKeys(
  db: Db,
  organizationId: string | undefined,
  part?: KeyPart,
): Promise<MessagingKeyRow[]> {
  let query = db.selectFrom('messaging_key').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (part?.after !== undefined) query = query.where('id', '>', part.after);
  if (part !== undefined) query = query.limit(part.limit);
  return query.orderBy('id').execute();
}

/** The key as it is now, for this transaction alone. */
export async function lockMessagingKey(database: Database, trx: Db, id: string): Promise<MessagingKeyRow | undefined> {
  return trx
    .selectFrom('messaging_key')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'messaging_key'))
    .executeTakeFirst();
}

export type MessagingKeyChange = Partial<
  Pick<MessagingKeyRow, 'name' | 'enabled' | 'permitted' | 'query_token' | 'allow_list' | 'expires_at'>
>;

/** Also locks the row until the transaction ends. @returns the row as it is now; undefined when there is none. */
export async function updateMessagingKey(
  trx: Db,
  key: Pick<MessagingKeyRow, 'organization_id' | 'id'>,
  change: MessagingKeyChange,
  at: number,
): Promise<MessagingKeyRow | undefined> {
  return trx
    .updateTable('messaging_key')
    .set({ ...change, updated_at: at })
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .returningAll()
    .executeTakeFirst();
}

/** @returns whether it was there. */
export async function deleteMessagingKey(
  trx: Db,
  key: Pick<MessagingKeyRow, 'organization_id' | 'id'>,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('messaging_key')
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
