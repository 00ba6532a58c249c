import type { Db } from '../../database/database.ts';
import type { AccountRow } from '../../database/schema/account-tables.ts';
import { Problem } from '../../runtime/problem.ts';
import { findAccount } from '../store/account-store.ts';
import { listPasskeys } from '../store/factor-store.ts';
import { listSsoIdentities } from '../store/sso-store.ts';

/**
 * Whether there is anything to sign in with. Second factors are no ways in.
 * @param hasProvider whether an identity provider is configured: without one nobody signs in by it
 */
export async function hasSignInMethod(
  db: Db,
  { id, password }: Pick<AccountRow, 'id' | 'password'>,
  hasProvider: boolean,
): Promise<boolean> {
  if (password !== null) return true;
  if ((await listPasskeys(db, id)).length > 0) return true;
  return hasProvider && (await listSsoIdentities(db, id)).length > 0;
}

/**
 * To be called where a way to sign in has been taken away, in the same transaction and with the account locked.
 * @throws Problem `conflict` when it was the last one
 */
export async function requireSignInMethod(trx: Db, accountId: string, hasProvider: boolean): Promise<void> {
  const account = await findAccount(trx, accountId);
  if (await hasSignInMethod(trx, account ?? { id: accountId, password: null }, hasProvider)) return;
  throw new Problem('conflict', {
    reason: 'last_way_in',
    detail: 'This is the last way to sign in. Set a password first.',
  });
}
