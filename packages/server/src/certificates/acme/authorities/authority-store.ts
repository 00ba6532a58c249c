import type { Database, Db } from '../../../database/database.ts';
import { lockingRows } from '../../../database/row-lock.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import type { Part } from '../../../database/sql/bounded-search.ts';

export async function insertAuthority(trx: Db, row: AuthorityRow): Promise<void> {
  await trx.insertInto('authority').values(row).execute();
}

export async function findAuthority(db: Db, id: string): Promise<AuthorityRow | undefined> {
  return db.selectFrom('authority').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The authority as it is now, for this transaction alone. */
export async function lockAuthority(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<AuthorityRow | undefined> {
  return trx
    .selectFrom('authority')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'authority'))
    .executeTakeFirst();
}

export async function findAuthorityByName(db: Db, name: string): Promise<AuthorityRow | undefined> {
  return db.selectFrom('authority').selectAll().where('name', '=', name).executeTakeFirst();
}

/** By id. Those that are gone are missing. */
export async function findAuthorityNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('authority').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Oldest first. */
export async function listAuthorities(db: Db, { take, after }: Part): Promise<AuthorityRow[]> {
  return db
    .selectFrom('authority')
    .selectAll()
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(take)
    .execute();
}

export async function updateAuthority(trx: Db, id: string, columns: Partial<AuthorityRow>): Promise<void> {
  await trx.updateTable('authority').set(columns).where('id', '=', id).execute();
}

/** After a success: failures are counted anew. */
export async function endAuthorityRest(trx: Db, id: string): Promise<void> {
  await trx
    .updateTable('authority')
    .set({ failures: 0, rests_until: null })
    .where('id', '=', id)
    .where('failures', '>', 0)
    .execute();
}

/** @returns whether it existed */
export async function deleteAuthorityRow(trx: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('authority').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
