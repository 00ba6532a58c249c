import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';

export async function insertManagementKey(trx: Db, row: ManagementKeyRow): Promise<void> {
  await trx.insertInto('management_key').values(row).execute();
}

/** In the order of creation. @param organizationId undefined: all, also the instance's */
export async function listManagementKeys(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<ManagementKeyRow[]> {
  let query = db.selectFrom('management_key').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return query
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(take)
    .execute();
}

export type ManagementKeyChange = Partial<
  Pick<ManagementKeyRow, 'name' | 'role' | 'enabled' | 'allow_list' | 'expires_at'>
>;

/** Also locks the row until the transaction ends. @returns the row as it is now, if any */
export async function updateManagementKey(
  trx: Db,
  key: Pick<ManagementKeyRow, 'organization_id' | 'id'>,
  change: ManagementKeyChange,
  at: number,
): Promise<ManagementKeyRow | undefined> {
  return trx
    .updateTable('management_key')
    .set({ ...change, updated_at: at })
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .returningAll()
    .executeTakeFirst();
}

/** @returns whether it existed */
export async function deleteManagementKey(
  trx: Db,
  key: Pick<ManagementKeyRow, 'organization_id' | 'id'>,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('management_key')
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
