import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';

export async function findManagementKey(db: Db, id: string): Promise<ManagementKeyRow | undefined> {
  return db.selectFrom('management_key').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findManagementKeys(db: Db, ids: readonly string[]): Promise<ManagementKeyRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('management_key').selectAll().where('id', 'in', ids).execute();
}
