import type { Db } from '../database/connect.ts';
import type { OperatorRow, OrganizationRow } from '../database/tables.ts';

export async function insertOrganization(db: Db, row: OrganizationRow): Promise<void> {
  await db.insertInto('organization').values(row).execute();
}

export async function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst();
}

/** In the order they were made. */
export async function listOrganizations(db: Db): Promise<OrganizationRow[]> {
  return db.selectFrom('organization').selectAll().orderBy('id').execute();
}

export async function findSuspended(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('organization')
    .select('id')
    .where('id', 'in', ids)
    .where('suspended_at', 'is not', null)
    .execute();
  return rows.map((row) => row.id);
}

export async function setSuspended(db: Db, id: string, suspendedAt: number | null): Promise<void> {
  await db.updateTable('organization').set({ suspended_at: suspendedAt }).where('id', '=', id).execute();
}

export async function insertOperator(db: Db, row: OperatorRow): Promise<void> {
  await db.insertInto('operator').values(row).execute();
}

export async function countOperators(db: Db): Promise<number> {
  const row = await db
    .selectFrom('operator')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
