import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, extended, Id, pageOf, pageQuery, Time } from '../shared-schemas.ts';
import { Role } from './account-operations.ts';

const operation = operationsOf('members');

export const Member = Type.Object(
  {
    account_id: Id,
    email: Type.String(),
    role: Role,
    by_sso: Type.Boolean({ description: 'The identity provider decides the role at each sign-in.' }),
    disabled: Type.Boolean(),
    created_at: Time,
  },
  { $id: 'Member', ...closed },
);
export type Member = Type.Static<typeof Member>;

export const Invitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    role: Role,
    created_by: Type.String({ description: 'The creator, as the audit trail names it.' }),
    created_at: Time,
    expires_at: Time,
  },
  { $id: 'Invitation', ...closed },
);
export type Invitation = Type.Static<typeof Invitation>;

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  path: '/organizations/{organization_id}/members',
  summary: 'List the people of an organization',
  description: 'In the order of account creation.',
  action: 'member.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Member) },
  paged: true,
});

const memberPath = '/organizations/{organization_id}/members/{account_id}';

export const updateMember = operation({
  id: 'updateMember',
  method: 'PATCH',
  path: memberPath,
  summary: "Change a person's role",
  description: 'You cannot give or take a role above your own. There is always an owner.',
  action: 'member.update',
  body: Type.Object({ role: Role }, { $id: 'MemberUpdate', ...closed }),
  answer: { status: 200, schema: Member },
  problems: ['conflict'],
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: memberPath,
  summary: 'Remove a person from an organization',
  action: 'member.remove',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const leaveOrganization = operation({
  id: 'leaveOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/leave',
  summary: 'Leave an organization',
  description: 'The last owner cannot.',
  action: 'member.leave',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const listInvitations = operation({
  id: 'listInvitations',
  method: 'GET',
  path: '/organizations/{organization_id}/invitations',
  summary: 'List open invitations',
  description: 'Oldest first.',
  action: 'invitation.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Invitation) },
  paged: true,
});

export const createInvitation = operation({
  id: 'createInvitation',
  method: 'POST',
  path: '/organizations/{organization_id}/invitations',
  summary: 'Invite somebody',
  description: 'The link is shown only in this answer; no email is sent. It works once, for 72 hours.',
  action: 'invitation.create',
  body: Type.Object(
    { email: Type.String({ minLength: 3, maxLength: 254 }), role: Role },
    { $id: 'NewInvitation', ...closed },
  ),
  answer: {
    status: 201,
    schema: extended(
      Invitation,
      { link: Type.String({ description: 'Anyone with it can accept the invitation.' }) },
      { $id: 'InvitationWithLink' },
    ),
  },
  problems: ['conflict'],
  secret: true,
  idempotent: true,
});

export const revokeInvitation = operation({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/organizations/{organization_id}/invitations/{invitation_id}',
  summary: 'Withdraw an invitation',
  action: 'invitation.revoke',
  answer: { status: 204 },
});

export const memberOperations = [
  listMembers,
  updateMember,
  removeMember,
  leaveOrganization,
  listInvitations,
  createInvitation,
  revokeInvitation,
] as const;
