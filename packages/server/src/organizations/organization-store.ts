import type { Database, Db } from '../database/database.ts';
import { lockingRows } from '../database/row-lock.ts';
import type { OrganizationRow } from '../database/schema/account-tables.ts';
import { type Found, searchBounded } from '../database/sql/bounded-search.ts';

export async function insertOrganization(db: Db, row: OrganizationRow): Promise<void> {
  await db.insertInto('organization').values(row).execute();
}

export async function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface OrganizationFilter {
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  /** Only ids after this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** In the order of creation. */
export async function listOrganizations(
  db: Db,
  { ids, after, limit }: OrganizationFilter = {},
): Promise<OrganizationRow[]> {
  if (ids?.length === 0) return [];
  let query = db
    .selectFrom('organization')
    .selectAll()
    .where('id', '>', after ?? '');
  if (ids !== undefined) query = query.where('id', 'in', ids);
  if (limit !== undefined) query = query.limit(limit);
  return query.orderBy('id').execute();
}

/**
 * Organizations with `search` in their name, in any letter case, among a bounded number of rows; all without `limit`.
 */
export async function searchOrganizations(
  db: Db,
  { ids, after, limit = Number.POSITIVE_INFINITY }: OrganizationFilter,
  search: string,
): Promise<Found<OrganizationRow>> {
  const wanted = search.toLowerCase();
  return searchBounded<OrganizationRow>({
    read: (last, part) => listOrganizations(db, { ids, after: last?.id ?? after, limit: part }),
    wanted: ({ name }) => name.toLowerCase().includes(wanted),
    take: limit,
    ...(limit === Number.POSITIVE_INFINITY && { most: limit }),
  });
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

/** Locks the organization against changes until the transaction ends. */
export async function findAndLockOrganization(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<OrganizationRow | undefined> {
  return trx
    .selectFrom('organization')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'organization'))
    .executeTakeFirst();
}

export async function setName(db: Db, id: string, name: string): Promise<void> {
  await db.updateTable('organization').set({ name }).where('id', '=', id).execute();
}

export async function setSuspended(db: Db, id: string, suspendedAt: number | null): Promise<void> {
  await db.updateTable('organization').set({ suspended_at: suspendedAt }).where('id', '=', id).execute();
}
