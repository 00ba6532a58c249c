import type { Db } from '../../database/database.ts';
import type { OneTimeLinkRow } from '../../database/schema/account-tables.ts';
import type { Part } from '../../database/sql/bounded-search.ts';

export async function insertLink(trx: Db, row: OneTimeLinkRow): Promise<void> {
  await trx.insertInto('one_time_link').values(row).execute();
}

/** Undefined when it is unknown, was used, or is too old. */
export async function findLink(db: Db, hash: string, now: number): Promise<OneTimeLinkRow | undefined> {
  return db
    .selectFrom('one_time_link')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Takes it away in the same statement: of two who open it at the same time one finds it. */
export async function takeLink(trx: Db, hash: string, now: number): Promise<OneTimeLinkRow | undefined> {
  return trx
    .deleteFrom('one_time_link')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteLinksOf(trx: Db, accountId: string): Promise<void> {
  await trx.deleteFrom('one_time_link').where('account_id', '=', accountId).execute();
}

/** Those that are still good, in the order they were made. */
export async function listInvitations(
  db: Db,
  organizationId: string,
  now: number,
  { take, after }: Part,
): Promise<OneTimeLinkRow[]> {
  return db
    .selectFrom('one_time_link')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'invitation')
    .where('expires_at', '>', now)
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(take)
    .execute();
}

/** @returns the one that was there */
export async function deleteInvitation(
  trx: Db,
  organizationId: string,
  id: string,
): Promise<OneTimeLinkRow | undefined> {
  return trx
    .deleteFrom('one_time_link')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'invitation')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function forgetLinks(db: Db, expiredBefore: number): Promise<void> {
  await db.deleteFrom('one_time_link').where('expires_at', '<', expiredBefore).execute();
}
