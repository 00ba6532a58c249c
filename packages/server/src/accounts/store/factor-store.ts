import type { Db } from '../../database/database.ts';
import type { PasskeyRow, TotpRow } from '../../database/schema/account-tables.ts';

export async function findTotp(db: Db, accountId: string): Promise<TotpRow | undefined> {
  return db.selectFrom('totp').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

/** Puts an enrolment in place of an unfinished one. @returns false when there is a finished one: it stays. */
export async function putUnconfirmedTotp(trx: Db, row: TotpRow): Promise<boolean> {
  await trx.deleteFrom('totp').where('account_id', '=', row.account_id).where('confirmed_at', 'is', null).execute();
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('totp')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function confirmTotp(trx: Db, row: TotpRow, at: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('totp')
    .set({ confirmed_at: at })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Uses a code up: no code of this step or one before is accepted again. @returns false when another request was faster */
export async function takeTotpStep(trx: Db, row: Pick<TotpRow, 'account_id' | 'id'>, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('totp')
    .set({ last_step: step })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns whether there was one */
export async function deleteTotp(trx: Db, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('totp').where('account_id', '=', accountId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function listTotpKeys(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('totp').select('key_id').distinct().execute();
  return rows.map((row) => row.key_id);
}

export async function listTotpSealedOtherwise(db: Db, keyId: string, limit: number): Promise<TotpRow[]> {
  return db.selectFrom('totp').selectAll().where('key_id', '!=', keyId).orderBy('account_id').limit(limit).execute();
}

/** In the order of their accounts, from after one of them. */
export async function listTotps(db: Db, after: string, limit: number): Promise<TotpRow[]> {
  return db.selectFrom('totp').selectAll().where('account_id', '>', after).orderBy('account_id').limit(limit).execute();
}

export async function replaceSealedTotp(trx: Db, row: TotpRow, sealed: Uint8Array, keyId: string): Promise<void> {
  await trx
    .updateTable('totp')
    .set({ sealed, key_id: keyId })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

/** Oldest first. */
export async function listPasskeys(db: Db, accountId: string): Promise<PasskeyRow[]> {
  return db.selectFrom('passkey').selectAll().where('account_id', '=', accountId).orderBy('id').execute();
}

export async function findPasskeyByCredential(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

export async function insertPasskey(trx: Db, row: PasskeyRow): Promise<void> {
  await trx.insertInto('passkey').values(row).execute();
}

/** Records a use. @returns false when the counter has moved meanwhile: two authenticators claim to be the same one */
export async function advancePasskey(trx: Db, row: PasskeyRow, counter: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('passkey')
    .set({ counter, used_at: at })
    .where('id', '=', row.id)
    .where('counter', '=', row.counter)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function renamePasskey(
  trx: Db,
  accountId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return trx
    .updateTable('passkey')
    .set({ name })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** @returns the names of those that were there */
export async function deletePasskeys(trx: Db, accountId: string, id?: string): Promise<string[]> {
  let query = trx.deleteFrom('passkey').where('account_id', '=', accountId);
  if (id !== undefined) query = query.where('id', '=', id);
  const rows = await query.returning('name').execute();
  return rows.map((row) => row.name);
}

export async function replaceRecoveryCodes(trx: Db, accountId: string, hashes: readonly string[]): Promise<void> {
  await deleteRecoveryCodes(trx, accountId);
  await trx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ account_id: accountId, hash, used_at: null })))
    .execute();
}

export async function deleteRecoveryCodes(trx: Db, accountId: string): Promise<void> {
  await trx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute();
}

/** @returns false when it is none of the account's, or was used before */
export async function takeRecoveryCode(trx: Db, accountId: string, hash: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('recovery_code')
    .set({ used_at: at })
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function countRecoveryCodes(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_code')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
