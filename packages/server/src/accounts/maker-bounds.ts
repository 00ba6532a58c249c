/**
 * How far what a management key makes may reach. Whoever has got hold of a key that ends, or that is bound to addresses, must
 * not be able to keep anything that is good for longer or from elsewhere. Whoever is no key has no bounds here. A key that was
 * deleted while it asked makes nothing more.
 */
import type { ManagementKeyRow } from '../database/account-tables.ts';
import type { Db } from '../database/connect.ts';
import { isNoWider } from '../http/ip-allow-list.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { keyIdIn } from './actor.ts';
import { findManagementKey } from './management-key-store.ts';

/** @throws Problem `invalid_token` for a key that there is no more */
async function findMaker(db: Db, by: string): Promise<ManagementKeyRow | undefined> {
  const id = keyIdIn(by);
  if (id === undefined) return undefined;
  const key = await findManagementKey(db, id);
  if (key === undefined) throw new Problem('invalid_token');
  return key;
}

/** When everything ends that `by` makes, epoch milliseconds; null: it need not end. @param by as the audit trail names it */
export async function endOfMaker(db: Db, by: string): Promise<number | null> {
  return (await findMaker(db, by))?.expires_at ?? null;
}

/** @throws Problem `invalid_parameter` where a key that ends would make or change what is good for longer */
export async function requireNoLonger(db: Db, by: string, expiresAt: number | null): Promise<void> {
  const end = await endOfMaker(db, by);
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: `A management key that ends lets nothing live longer than itself: until ${toRfc3339(end)} at most.`,
  });
}

/**
 * For management keys alone: the allow-lists of deployments and messaging keys name other machines.
 * @throws Problem `invalid_parameter` where a key would make or change one that is good from more addresses
 */
export async function requireNoWider(db: Db, by: string, allow: readonly string[]): Promise<void> {
  const maker = await findMaker(db, by);
  if (maker === undefined || isNoWider(allow, JSON.parse(maker.allow_list) as string[])) return;
  throw new Problem('invalid_parameter', {
    field: 'allow',
    detail: 'A management key lets no other be used from an address that is not on its own allow-list.',
  });
}
