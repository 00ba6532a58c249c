import type { Db } from '../../database/database.ts';
import type { SessionRow } from '../../database/schema/account-tables.ts';

export async function insertSession(trx: Db, row: SessionRow): Promise<void> {
  await trx.insertInto('session').values(row).execute();
}

export async function findSessionsByHash(db: Db, hashes: readonly string[]): Promise<SessionRow[]> {
  if (hashes.length === 0) return [];
  return db.selectFrom('session').selectAll().where('hash', 'in', hashes).execute();
}

export interface SessionPart {
  /** Goes on with sessions before this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Sessions that have not expired (`hasEnded`), newest first. */
export async function listSessions(
  db: Db,
  accountId: string,
  { now, idleMs }: { readonly now: number; readonly idleMs: number },
  { before, limit }: SessionPart,
): Promise<SessionRow[]> {
  let query = db
    .selectFrom('session')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .where('seen_at', '>', now - idleMs);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** @returns whether the account still has this session */
export async function replaceSessionHash(
  trx: Db,
  session: Pick<SessionRow, 'id' | 'account_id'>,
  change: Pick<SessionRow, 'hash' | 'authenticated_at' | 'seen_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('session')
    .set(change)
    .where('id', '=', session.id)
    .where('account_id', '=', session.account_id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Never backwards: another server may have recorded a later use. */
export async function touchSession(db: Db, id: string, seenAt: number): Promise<void> {
  await db.updateTable('session').set({ seen_at: seenAt }).where('id', '=', id).where('seen_at', '<', seenAt).execute();
}

/** Of an account but the newest `keep`. @returns those that were there */
export async function deleteOldestSessions(trx: Db, accountId: string, keep: number): Promise<string[]> {
  const newest = trx
    .selectFrom('session')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(keep);
  const rows = await trx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('id', 'not in', newest)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** @returns those that were there */
export async function deleteSessions(
  trx: Db,
  accountId: string,
  choice: { readonly only?: string; readonly except?: string; readonly method?: SessionRow['method'] },
): Promise<string[]> {
  let query = trx.deleteFrom('session').where('account_id', '=', accountId);
  if (choice.only !== undefined) query = query.where('id', '=', choice.only);
  if (choice.except !== undefined) query = query.where('id', '!=', choice.except);
  if (choice.method !== undefined) query = query.where('method', '=', choice.method);
  const rows = await query.returning('id').execute();
  return rows.map((row) => row.id);
}

export async function deleteSessionsThatEnded(db: Db, expiredBefore: number): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', expiredBefore).execute();
}

export async function isFamiliarDevice(db: Db, accountId: string, hash: string, seenAfter: number): Promise<boolean> {
  const row = await db
    .selectFrom('familiar_device')
    .select('hash')
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('seen_at', '>=', seenAfter)
    .executeTakeFirst();
  return row !== undefined;
}

const devicesAtMost = 20;

/** Marks a browser as familiar under a new name in place of its former one. The longest unseen make room. */
export async function putFamiliarDevice(
  trx: Db,
  accountId: string,
  device: { readonly hash: string; readonly former: string | undefined },
  at: number,
): Promise<void> {
  const ofAccount = trx.deleteFrom('familiar_device').where('account_id', '=', accountId);
  if (device.former !== undefined) await ofAccount.where('hash', '=', device.former).execute();
  await trx
    .insertInto('familiar_device')
    .values({ account_id: accountId, hash: device.hash, created_at: at, seen_at: at })
    .execute();
  const newest = trx
    .selectFrom('familiar_device')
    .select('hash')
    .where('account_id', '=', accountId)
    .orderBy('seen_at', 'desc')
    .orderBy('hash')
    .limit(devicesAtMost);
  await ofAccount.where('hash', 'not in', newest).execute();
}

export async function deleteFamiliarDevices(trx: Db, accountId: string): Promise<void> {
  await trx.deleteFrom('familiar_device').where('account_id', '=', accountId).execute();
}

export async function forgetFamiliarDevices(db: Db, seenBefore: number): Promise<void> {
  await db.deleteFrom('familiar_device').where('seen_at', '<', seenBefore).execute();
}
