/** A stolen management key that expires or is bound to addresses must make nothing for longer or from elsewhere. */

import { keyIdIn } from '../api/actor.ts';
import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import { isNoWider } from '../http/request/ip-allow-list.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { findManagementKey } from './management-key-lookup.ts';

/** @throws Problem `invalid_token` for a deleted key */
async function findMaker(db: Db, by: string): Promise<ManagementKeyRow | undefined> {
  const id = keyIdIn(by);
  if (id === undefined) return undefined;
  const key = await findManagementKey(db, id);
  if (key === undefined) throw new Problem('invalid_token');
  return key;
}

/** When everything ends that `by` makes, epoch milliseconds; null: no end. @param by the audit name */
export async function endOfMaker(db: Db, by: string): Promise<number | null> {
  return (await findMaker(db, by))?.expires_at ?? null;
}

/** @throws Problem `invalid_parameter` when an expiring key would make or change something valid for longer */
export async function requireNoLonger(db: Db, by: string, expiresAt: number | null): Promise<void> {
  const end = await endOfMaker(db, by);
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: `This management key expires, so nothing it makes may last longer: until ${toRfc3339(end)} at most.`,
  });
}

/** Other allow-lists name other machines. @throws Problem `invalid_parameter` for more addresses than the key's own */
export async function requireNoWider(db: Db, by: string, allow: readonly string[]): Promise<void> {
  const maker = await findMaker(db, by);
  if (maker === undefined || isNoWider(allow, JSON.parse(maker.allow_list) as string[])) return;
  throw new Problem('invalid_parameter', {
    field: 'allow',
    detail: 'A management key cannot make another one valid from addresses outside its own allow-list.',
  });
}
