import { hash } from 'node:crypto';
import type { KeyActor } from '../api/actor.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import { createFactMemory } from '../database/fact-memory.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { IpAddress } from '../http/request/ip-address.ts';
import { type AllowList, compileAllowList } from '../http/request/ip-allow-list.ts';
import { hasPassed } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { orUnavailable } from '../runtime/unavailable.ts';
import { parseToken } from '../secrets/token.ts';
import { findManagementKeys } from './management-key-lookup.ts';
import { suspendedOrganizations } from './organization.ts';
import { endOf, findTokens, type RegisteredToken } from './token-registry.ts';

/** Times are epoch milliseconds; null: no end of its own. */
interface ManagementKeyFacts {
  readonly actor: KeyActor;
  readonly enabled: boolean;
  readonly suspended: boolean;
  readonly tokenExpiresAt: number | null;
  readonly expiresAt: number | null;
  readonly allowList: AllowList;
}

/** @throws Problem `address_not_allowed`, `service_unavailable` */
type FindManagementKey = (token: string, address: IpAddress | undefined) => Promise<KeyActor | undefined>;

interface FindManagementKeyNeeds extends Pick<Ground, 'feed' | 'clock'> {
  readonly db: Db;
  readonly maxEntries?: number;
}

/** `Retry-After` of the 503 when the token cannot be looked up, seconds. */
const retryAfterSeconds = 1;

export function createFindManagementKey(needs: FindManagementKeyNeeds): FindManagementKey {
  const { db, feed, clock, maxEntries = 10_000 } = needs;
  const facts = createFactMemory<ManagementKeyFacts>({
    feed,
    kind: 'token',
    restsOn: ({ actor }) => [`management-key:${actor.keyId}`, `organization:${actor.organizationId}`],
    read: (hashes) => readFacts(db, hashes),
    maxEntries,
  });

  return async (token, address) => {
    // Without a look-up for typing errors.
    if (parseToken(token)?.kind !== 'management') return undefined;
    const known = await orUnavailable(facts.recall(hash('sha256', token, 'hex')), retryAfterSeconds);
    if (known === undefined || !isValid(known, clock.now())) return undefined;
    if (!known.allowList.allows(address)) throw new Problem('address_not_allowed');
    return known.actor;
  };
}

function isValid({ enabled, suspended, tokenExpiresAt, expiresAt }: ManagementKeyFacts, now: number): boolean {
  return enabled && !suspended && !hasPassed(tokenExpiresAt, now) && !hasPassed(expiresAt, now);
}

async function readFacts(db: Db, hashes: readonly string[]): Promise<Map<string, ManagementKeyFacts>> {
  const tokens = (await findTokens(db, hashes)).filter(({ kind }) => kind === 'management');
  const keys = await findManagementKeys(db, [...new Set(tokens.map(({ subjectId }) => subjectId))]);
  const rows = new Map(keys.map((row) => [row.id, row]));
  const suspended = await suspendedOrganizations(db, [...new Set(keys.map((row) => row.organization_id))]);
  const known = new Map<string, ManagementKeyFacts>();
  for (const token of tokens) {
    const row = rows.get(token.subjectId);
    // A token whose key is gone stands for nothing.
    if (row !== undefined) known.set(token.hash, toFacts(token, row, suspended.has(row.organization_id)));
  }
  return known;
}

function toFacts(token: RegisteredToken, row: ManagementKeyRow, suspended: boolean): ManagementKeyFacts {
  return {
    actor: { kind: 'key', keyId: row.id, organizationId: row.organization_id, role: row.role },
    enabled: row.enabled === 1,
    suspended,
    tokenExpiresAt: endOf(token),
    expiresAt: row.expires_at,
    allowList: compileAllowList(JSON.parse(row.allow_list) as string[]),
  };
}
