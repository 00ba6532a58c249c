import { hash } from 'node:crypto';
import type { ManagementKeyRow } from '../database/account-tables.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Db } from '../database/connect.ts';
import type { IpAddress } from '../http/ip-address.ts';
import { type AllowList, compileAllowList } from '../http/ip-allow-list.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { parseToken } from '../secrets/token.ts';
import type { KeyActor } from './actor.ts';
import { findManagementKeys } from './management-key-store.ts';
import { suspendedOrganizations } from './organization.ts';
import { createRememberedFacts } from './remembered-facts.ts';
import { endOf, findTokens, type RegisteredToken } from './token-registry.ts';

/** What is known of a management key's token. Times are epoch milliseconds; null: never by itself. */
export interface ManagementKeyFacts {
  readonly actor: KeyActor;
  readonly enabled: boolean;
  readonly suspended: boolean;
  readonly tokenExpiresAt: number | null;
  readonly expiresAt: number | null;
  readonly allowList: AllowList;
}

/** Who a token stands for. @throws Problem `address_not_allowed`, `service_unavailable` */
export type FindManagementKey = (token: string, address: IpAddress | undefined) => Promise<KeyActor | undefined>;

export interface FindManagementKeyNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly maxEntries?: number;
}

export function createFindManagementKey(needs: FindManagementKeyNeeds): FindManagementKey {
  const { db, feed, clock, maxEntries = 10_000 } = needs;
  const facts = createRememberedFacts<ManagementKeyFacts>({
    feed,
    read: (hashes) => readFacts(db, hashes),
    restsOn: (tokenHash, { actor }) => [
      `token:${tokenHash}`,
      `management-key:${actor.keyId}`,
      `organization:${actor.organizationId}`,
    ],
    maxEntries,
  });

  return async (token, address) => {
    // A typing error needs no look-up.
    if (parseToken(token)?.kind !== 'management') return undefined;
    const known = await facts.find(hash('sha256', token, 'hex'));
    if (known === undefined || !isValid(known, clock.now())) return undefined;
    if (!known.allowList.allows(address)) throw new Problem('address_not_allowed');
    return known.actor;
  };
}

function isValid({ enabled, suspended, tokenExpiresAt, expiresAt }: ManagementKeyFacts, now: number): boolean {
  return enabled && !suspended && !hasPassed(tokenExpiresAt, now) && !hasPassed(expiresAt, now);
}

function hasPassed(moment: number | null, now: number): boolean {
  return moment !== null && now >= moment;
}

async function readFacts(db: Db, hashes: readonly string[]): Promise<(ManagementKeyFacts | undefined)[]> {
  const tokens = (await findTokens(db, hashes)).filter(({ kind }) => kind === 'management');
  const keys = await findManagementKeys(db, [...new Set(tokens.map(({ subjectId }) => subjectId))]);
  const rows = new Map(keys.map((row) => [row.id, row]));
  const suspended = await suspendedOrganizations(db, [...new Set(keys.map((row) => row.organization_id))]);
  const known = new Map(tokens.map((token) => [token.hash, toFacts(token, rows.get(token.subjectId), suspended)]));
  return hashes.map((each) => known.get(each));
}

/** A token whose key is gone stands for nothing. */
function toFacts(
  token: RegisteredToken,
  row: ManagementKeyRow | undefined,
  suspended: ReadonlySet<string>,
): ManagementKeyFacts | undefined {
  if (row === undefined) return undefined;
  return {
    actor: { kind: 'key', keyId: row.id, organizationId: row.organization_id, role: row.role },
    enabled: row.enabled === 1,
    suspended: suspended.has(row.organization_id),
    tokenExpiresAt: endOf(token),
    expiresAt: row.expires_at,
    allowList: compileAllowList(JSON.parse(row.allow_list) as string[]),
  };
}
