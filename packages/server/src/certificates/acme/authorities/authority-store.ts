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

/** Of all of them, by id: an instance has a few. */
export async function findAuthorityNames(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('authority').select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Oldest first. */
export async function listAuthorities(db: Db, { take, after }: Part): Promise<AuthorityRow[]> {
  const query = db.selectFrom('authority').selectAll().orderBy('id').limit(take);
  return (after === undefined ? query : query.where('id', '>', after)).execute();
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
