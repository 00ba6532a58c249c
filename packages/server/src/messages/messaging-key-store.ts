import type { Db } from '../database/connect.ts';
import type { MessagingKeyRow } from '../database/tables.ts';

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

/** In the order they were made. */
export async function listMessagingKeys(db: Db, organizationId: string | undefined): Promise<MessagingKeyRow[]> {
  let query = db.selectFrom('messaging_key').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return query.orderBy('id').execute();
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
