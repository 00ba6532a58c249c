import type { SsoIdentityRow } from '../database/account-tables.ts';
import type { Db } from '../database/connect.ts';

export async function findSsoIdentity(db: Db, issuer: string, subject: string): Promise<SsoIdentityRow | undefined> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
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
