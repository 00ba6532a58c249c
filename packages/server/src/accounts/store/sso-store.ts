import type { Db } from '../../database/database.ts';
import type { SsoIdentityRow } from '../../database/schema/account-tables.ts';

export async function findSsoIdentity(db: Db, issuer: string, subject: string): Promise<SsoIdentityRow | undefined> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** The issuers that each of the accounts is connected to, by its id. */
export async function listSsoIssuers(db: Db, accountIds: readonly string[]): Promise<Map<string, string[]>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('sso_identity')
    .select(['account_id', 'issuer'])
    .where('account_id', 'in', accountIds)
    .execute();
  const groups = Map.groupBy(rows, (row) => row.account_id);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ issuer }) => issuer)]));
}

/** Oldest first. */
export async function listSsoIdentities(db: Db, accountId: string): Promise<SsoIdentityRow[]> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('subject')
    .execute();
}

/** @returns the issuers of those that were there */
export async function deleteSsoIdentities(trx: Db, accountId: string): Promise<string[]> {
  const rows = await trx.deleteFrom('sso_identity').where('account_id', '=', accountId).returning('issuer').execute();
  return rows.map(({ issuer }) => issuer);
}

export async function insertSsoIdentity(trx: Db, row: SsoIdentityRow): Promise<void> {
  await trx.insertInto('sso_identity').values(row).execute();
}
