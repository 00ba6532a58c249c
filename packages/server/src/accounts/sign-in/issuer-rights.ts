import { actions, type Role, roles } from '../../api/roles.ts';
import type { Db } from '../../database/database.ts';
import type { OneTimeLinkRow } from '../../database/schema/account-tables.ts';
import { findManagementKey } from '../../organizations/management-key-lookup.ts';
import { hasPassed } from '../../runtime/clock.ts';
import { isMembership, isOperator } from '../store/account.ts';
import { findAccount, findMembership } from '../store/account-store.ts';

type MadeLink = Pick<OneTimeLinkRow, 'kind' | 'created_by' | 'organization_id' | 'role'>;

/**
 * Whether who made a link could still make it. Somebody who was removed, demoted or disabled since must not come back by a
 * link they have kept.
 * @param hasProvider whether an identity provider is configured: without one nothing that it gave counts
 * @param now epoch milliseconds
 */
export async function mayStillMake(db: Db, link: MadeLink, hasProvider: boolean, now: number): Promise<boolean> {
  const [, kind, id = ''] = /^(account|key):(.+)$/.exec(link.created_by) ?? [];
  // By whoever runs the machine.
  if (kind === undefined) return true;
  const { organization_id: organizationId, role } = link;
  const rank = await (kind === 'key'
    ? rankOfKey(db, id, organizationId, now)
    : rankOfAccount(db, id, organizationId, hasProvider));
  if (link.kind !== 'invitation') return rank === 'operator';
  if (rank === undefined || role === null) return false;
  return rank === 'operator' || [actions['invitation.create'], role].every((least) => isAtLeast(rank, least));
}

async function rankOfKey(
  db: Db,
  id: string,
  organizationId: string,
  now: number,
): Promise<Role | 'operator' | undefined> {
  const key = await findManagementKey(db, id);
  if (key === undefined || key.enabled === 0 || hasPassed(key.expires_at, now)) return undefined;
  return key.organization_id === '' || key.organization_id === organizationId ? key.role : undefined;
}

async function rankOfAccount(
  db: Db,
  id: string,
  organizationId: string,
  hasProvider: boolean,
): Promise<Role | 'operator' | undefined> {
  const account = await findAccount(db, id);
  if (account === undefined || account.disabled_at !== null) return undefined;
  if (isOperator(account, hasProvider)) return 'operator';
  const membership = await findMembership(db, organizationId, id);
  return membership !== undefined && isMembership(membership, hasProvider) ? membership.role : undefined;
}

function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}
