import { sql } from 'kysely';
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

/** Records that orders under way may have set by a provider. Other orders have no proofs. */
export async function countProviderRecords(
  trx: Db,
  { lookUp }: Pick<Database, 'lookUp'>,
  providerId: string,
): Promise<number> {
  // As a range, because an index is only searched by one.
  const running = sql`(select id from acme_order where next_at > 0) as running`;
  const own = sql`c.order_id = running.id and c.dns_provider_id = ${providerId}`;
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from ${lookUp.join(running, 'acme_challenge', 'c', own)}`.execute(trx);
  return Number(rows[0]?.count ?? 0);
}
