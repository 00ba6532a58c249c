import type { Db } from '../database/connect.ts';
import { Problem } from '../runtime/problem.ts';
import { findAccount } from './account-store.ts';
import { listPasskeys } from './factor-store.ts';
import { listSsoIdentities } from './sso-store.ts';

/**
 * To be called where a way to sign in has been taken away, in the same transaction and with the account locked.
 * Second factors are no ways in.
 * @throws Problem `conflict` when it was the last one
 */
export async function requireWayIn(trx: Db, accountId: string): Promise<void> {
  const account = await findAccount(trx, accountId);
  if (account !== undefined && account.password !== null) return;
  if ((await listPasskeys(trx, accountId)).length > 0) return;
  if ((await listSsoIdentities(trx, accountId)).length > 0) return;
  throw new Problem('conflict', {
    reason: 'last_way_in',
    detail: 'This is the last way to sign in. Set a password first.',
  });
}
