import type { Db } from '../database/connect.ts';
import type { SsoIdentityRow } from '../database/tables.ts';

export async function findSsoIdentity(db: Db, issuer: string, subject: string): Promise<SsoIdentityRow | undefined> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export async function insertSsoIdentity(trx: Db, row: SsoIdentityRow): Promise<void> {
  await trx.insertInto('sso_identity').values(row).execute();
}
