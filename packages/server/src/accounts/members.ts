import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/member-operations.ts';
import { type Manager, requireRank } from '../api/manager.ts';
import type { Role } from '../api/roles.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { MembershipRow, OneTimeLinkRow } from '../database/schema/account-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';
import { endOfMaker } from '../organizations/maker-bounds.ts';
import { requireOrganization } from '../organizations/organization.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { newLink, type OneTimeLink } from './sign-in/one-time-link.ts';
import { checkEmail, isMembership } from './store/account.ts';
import {
  deleteMembership,
  findAccount,
  findAccountByEmail,
  findMembership,
  listMembers,
  lockAndCountOwners,
  type MemberRow,
  type OwnerCounts,
  putMembership,
} from './store/account-store.ts';
import { deleteInvitation, insertLink, listInvitations } from './store/link-store.ts';

/** A person in an organization. */
export type Member = Shown<contract.Member>;

export type Invitation = Shown<contract.Invitation>;

/** The people of an organization. */
export interface Members {
  /** In the order their accounts were made, by their accounts' ids. */
  list(organizationId: string, part?: Part): Promise<Member[]>;
  /**
   * The link is shown here and never again; we send no mail.
   * @throws Problem `conflict` for a member, `role_not_permitted`
   */
  invite(
    manager: Manager,
    organizationId: string,
    email: string,
    role: Role,
  ): Promise<{ invitation: Invitation; link: OneTimeLink }>;
  /** Oldest first, by their ids. */
  listInvitations(organizationId: string, part?: Part): Promise<Invitation[]>;
  /** The link is good no more. @throws Problem `not_found`, `role_not_permitted` */
  revokeInvitation(manager: Manager, organizationId: string, id: string): Promise<void>;
  /** @throws Problem `not_found`, `role_not_permitted`, `conflict` for the last owner */
  setRole(manager: Manager, organizationId: string, accountId: string, role: Role): Promise<Member>;
  /** Also for somebody who leaves. @throws Problem as `setRole` */
  remove(manager: Manager, organizationId: string, accountId: string): Promise<void>;
}

interface Needs extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly baseUrl: string;
  /** Whether an identity provider is configured: without one nothing that it gave counts. */
  readonly hasProvider: boolean;
}

const everything: Part = { take: 10_000, after: undefined };

export function createMembers({ database, feed, audit, clock, baseUrl, hasProvider }: Needs): Members {
  const record = (trx: Db, by: string, organizationId: string, action: AuditAction, subject: string, detail: object) =>
    audit.record(trx, [
      { organizationId, actor: by, action, subject, at: clock.now(), detail: JSON.stringify(detail) },
    ]);

  /** The membership as it is, once nobody else can change owners of this organization. */
  async function lockMember(trx: Db, organizationId: string, accountId: string) {
    const otherOwners = await lockAndCountOwners(trx, organizationId, accountId);
    const member = await findMembership(trx, organizationId, accountId);
    if (member === undefined) throw absent(accountId);
    return { member, otherOwners };
  }

  async function find(organizationId: string, accountId: string): Promise<Member> {
    const member = await findMembership(database.db, organizationId, accountId);
    const account = await findAccount(database.db, accountId);
    if (member === undefined || account === undefined) throw absent(accountId);
    return toMember({ ...member, email: account.email, disabled_at: account.disabled_at });
  }

  return {
    list: async (organizationId, part = everything) =>
      (await listMembers(database.db, organizationId, part)).map(toMember),

    async invite(manager, organizationId, email, role) {
      requireRank(manager, role);
      if ((await endOfMaker(database.db, manager.by)) !== null) {
        // The account of whoever takes the invitation would outlive the key.
        throw new Problem('role_not_permitted', { detail: 'A management key that ends invites nobody.' });
      }
      await requireOrganization(database.db, organizationId);
      const address = checkEmail(email);
      const account = await findAccountByEmail(database.db, address);
      const present = account && (await findMembership(database.db, organizationId, account.id));
      if (present !== undefined && isMembership(present, hasProvider)) {
        throw new Problem('conflict', {
          field: 'email',
          reason: 'already_member',
          parameters: { email: address },
          detail: `${address} is a member already.`,
        });
      }
      const about = { email: address, account_id: null, organization_id: organizationId, role, created_by: manager.by };
      const { row, link } = newLink({ kind: 'invitation', ...about }, baseUrl, clock.now());
      await feed.write(async (trx, note) => {
        await insertLink(trx, row);
        note('invitation', row.id, organizationId);
        await record(trx, manager.by, organizationId, 'invitation.create', row.id, { email: address, role });
      });
      return { invitation: toInvitation(row), link };
    },

    listInvitations: async (organizationId, part = everything) =>
      (await listInvitations(database.db, organizationId, clock.now(), part)).map(toInvitation),

    async revokeInvitation(manager, organizationId, id) {
      await feed.write(async (trx, note) => {
        const row = await deleteInvitation(trx, organizationId, id);
        if (row === undefined)
          throw new Problem('not_found', { field: 'invitation', detail: `There is no invitation ${id}.` });
        requireRank(manager, row.role ?? 'viewer');
        note('invitation', id, organizationId);
        await record(trx, manager.by, organizationId, 'invitation.revoke', id, { email: row.email });
      });
    },

    async setRole(manager, organizationId, accountId, role) {
      requireRank(manager, role);
      await feed.write(async (trx, note) => {
        const { member, otherOwners } = await lockMember(trx, organizationId, accountId);
        requireRank(manager, member.role);
        if (role !== 'owner') keepAnOwner(member, otherOwners, hasProvider);
        await putMembership(trx, { ...member, role, by_sso: 0 });
        note('account', accountId, organizationId);
        await record(trx, manager.by, organizationId, 'member.update', accountId, { role, former: member.role });
      });
      return find(organizationId, accountId);
    },

    async remove(manager, organizationId, accountId) {
      await feed.write(async (trx, note) => {
        const { member, otherOwners } = await lockMember(trx, organizationId, accountId);
        if (manager.accountId !== accountId) requireRank(manager, member.role);
        keepAnOwner(member, otherOwners, hasProvider);
        await deleteMembership(trx, organizationId, accountId);
        note('account', accountId, organizationId);
        await record(trx, manager.by, organizationId, 'member.remove', accountId, { role: member.role });
      });
    },
  };
}

function keepAnOwner(member: MembershipRow, others: OwnerCounts, hasProvider: boolean): void {
  // One whose own place does not count may go when others are left who are owners again with the identity provider.
  const counted = hasProvider || member.by_sso === 1 ? others.givenHere + others.bySso : others.givenHere;
  if (member.role !== 'owner' || counted > 0) return;
  throw new Problem('conflict', {
    field: 'role',
    reason: 'last_owner',
    detail: 'This is the last owner of the organization. Make somebody else owner first.',
  });
}

function toMember(row: MemberRow): Member {
  return {
    account_id: row.account_id,
    email: row.email,
    role: row.role,
    by_sso: row.by_sso === 1,
    disabled: row.disabled_at !== null,
    created_at: toRfc3339(row.created_at),
  };
}

function toInvitation(row: OneTimeLinkRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role ?? 'viewer',
    created_by: row.created_by,
    created_at: toRfc3339(row.created_at),
    expires_at: toRfc3339(row.expires_at),
  };
}

function absent(accountId: string): Problem {
  return new Problem('not_found', { field: 'account', detail: `There is no member ${accountId}.` });
}
