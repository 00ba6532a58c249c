import type { Note } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import type { AccountRow } from '../../database/schema/account-tables.ts';
import { findOrganization } from '../../organizations/organization.ts';
import {
  deleteMembership,
  listMembershipsOf,
  lockAndCountOwners,
  putMembership,
  updateAccount,
} from '../store/account-store.ts';
import { noteAccount } from '../store/note-account.ts';
import type { SsoGrants } from './sso-rules.ts';

/** The rights of a person for whom no provider vouches. */
export const noSsoGrants: SsoGrants = { operator: false, roles: new Map() };

/**
 * Gives and takes the rights that the identity provider decides about. Rights given here stay.
 * @param at epoch milliseconds
 * @returns what changed, for the audit trail
 */
export async function applySsoGrants(
  trx: Db,
  note: Note,
  account: AccountRow,
  grants: SsoGrants,
  at: number,
): Promise<string[]> {
  const changes: string[] = [];
  if ((account.operator_by_sso === 1) !== grants.operator) {
    await updateAccount(trx, account.id, { operator_by_sso: grants.operator ? 1 : 0 }, at);
    changes.push(grants.operator ? '+operator' : '-operator');
  }
  const present = await listMembershipsOf(trx, [account.id]);
  for (const [organizationId, role] of grants.roles) {
    const member = present.find((row) => row.organization_id === organizationId);
    const isOurs = member === undefined || member.by_sso === 1;
    if (!isOurs || member?.role === role || (await findOrganization(trx, organizationId)) === undefined) continue;
    if (member?.role === 'owner' && (await isLastOwner(trx, organizationId, account.id))) continue;
    const row = { organization_id: organizationId, account_id: account.id, role, by_sso: 1 as const, created_at: at };
    await putMembership(trx, row);
    changes.push(`+${organizationId}/${role}`);
  }
  for (const { organization_id, role, by_sso } of present) {
    if (by_sso === 0 || grants.roles.has(organization_id)) continue;
    // An organization never loses its last owner.
    if (role === 'owner' && (await isLastOwner(trx, organization_id, account.id))) continue;
    await deleteMembership(trx, organization_id, account.id);
    changes.push(`-${organization_id}/${role}`);
  }
  const formerly = present.map(({ organization_id }) => organization_id);
  if (changes.length > 0) await noteAccount(trx, note, account.id, formerly);
  return changes;
}

/** For all owners, also on a server without a provider: rights that a former provider gave must not stay. */
async function isLastOwner(trx: Db, organizationId: string, accountId: string): Promise<boolean> {
  const { givenHere, bySso } = await lockAndCountOwners(trx, organizationId, accountId);
  return givenHere + bySso === 0;
}
