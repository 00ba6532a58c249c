import type { Database, Db } from '../../../database/database.ts';
import { lockingRows } from '../../../database/row-lock.ts';
import type { DnsProviderRow } from '../../../database/schema/acme-tables.ts';
import type { Part } from '../../../database/sql/bounded-search.ts';

export async function insertDnsProvider(trx: Db, row: DnsProviderRow): Promise<void> {
  await trx.insertInto('dns_provider').values(row).execute();
}

export async function findDnsProvider(db: Db, id: string): Promise<DnsProviderRow | undefined> {
  return db.selectFrom('dns_provider').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The provider as it is now, for this transaction alone. */
export async function lockDnsProvider(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<DnsProviderRow | undefined> {
  return trx
    .selectFrom('dns_provider')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'dns_provider'))
    .executeTakeFirst();
}

/** Oldest first. @param organizationId undefined: of all */
export async function listDnsProviders(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<DnsProviderRow[]> {
  let query = db.selectFrom('dns_provider').selectAll().orderBy('id').limit(take);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return (after === undefined ? query : query.where('id', '>', after)).execute();
}

export async function updateDnsProviderRow(trx: Db, id: string, columns: Partial<DnsProviderRow>): Promise<void> {
  await trx.updateTable('dns_provider').set(columns).where('id', '=', id).execute();
}

/** @returns whether it existed */
export async function deleteDnsProviderRow(trx: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('dns_provider').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
