import * as operations from '@waxwing/contract/management-api/operations/member-operations.ts';
import { hideOwner } from '../api/hide-owner.ts';
import { managerOf } from '../api/manager.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import { Problem } from '../runtime/problem.ts';
import type { Members } from './members.ts';

/** The people of an organization (contract: member-operations). */
export function memberRoutes(members: Members): readonly Binding[] {
  return [
    bind(operations.listMembers, async ({ params, page }) => {
      const rows = await members.list(params.organization_id, page);
      return page.of(rows, ({ account_id }) => account_id);
    }),

    bind(operations.updateMember, (call) => {
      const { organization_id, account_id } = call.params;
      return hideOwner(members.setRole(managerOf(call, organization_id), organization_id, account_id, call.body.role));
    }),

    bind(operations.removeMember, async (call) => {
      const { organization_id, account_id } = call.params;
      await hideOwner(members.remove(managerOf(call, organization_id), organization_id, account_id));
      return undefined;
    }),

    bind(operations.leaveOrganization, async (call) => {
      const { actor, params } = call;
      if (actor.kind !== 'account') throw new Problem('role_not_permitted', { detail: 'Only people leave.' });
      const manager = managerOf(call, params.organization_id);
      await hideOwner(members.remove(manager, params.organization_id, actor.accountId));
      return undefined;
    }),

    bind(operations.listInvitations, async ({ params, page }) => {
      const rows = await members.listInvitations(params.organization_id, page);
      return page.of(rows, ({ id }) => id);
    }),

    bind(operations.createInvitation, async (call) => {
      const { organization_id } = call.params;
      const { email, role } = call.body;
      const { invitation, link } = await members.invite(managerOf(call, organization_id), organization_id, email, role);
      return { ...invitation, link: link.url.reveal() };
    }),

    bind(operations.revokeInvitation, async (call) => {
      const { organization_id, invitation_id } = call.params;
      await hideOwner(members.revokeInvitation(managerOf(call, organization_id), organization_id, invitation_id));
      return undefined;
    }),
  ];
}
