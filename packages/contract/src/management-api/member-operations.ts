import Type from 'typebox';
import { Role } from './account-operations.ts';
import { operation } from './operation.ts';
import { closed, extended, Id, inOrganization, pageOf, pageQuery, Time, within } from './shared-schemas.ts';

const tag = 'members';

export const Member = Type.Object(
  {
    account_id: Id,
    email: Type.String(),
    role: Role,
    by_sso: Type.Boolean({ description: 'The identity provider decides about the role at each sign-in.' }),
    disabled: Type.Boolean(),
    created_at: Time,
  },
  { $id: 'Member', ...closed },
);

export const Invitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    role: Role,
    created_by: Type.String({ description: 'As the audit trail names who made it.' }),
    created_at: Time,
    expires_at: Time,
  },
  { $id: 'Invitation', ...closed },
);

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  path: '/organizations/{organization_id}/members',
  tag,
  summary: 'List the people of an organization',
  description: 'In the order their accounts were made.',
  action: 'member.read',
  params: inOrganization,
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Member) },
  paged: true,
});

const oneMember = within('account_id');
const memberPath = '/organizations/{organization_id}/members/{account_id}';

export const updateMember = operation({
  id: 'updateMember',
  method: 'PATCH',
  path: memberPath,
  tag,
  summary: "Change somebody's role",
  description: 'Nobody gives or takes a role above their own, and there is always an owner.',
  action: 'member.update',
  params: oneMember,
  body: Type.Object({ role: Role }, { $id: 'MemberUpdate', ...closed }),
  answer: { status: 200, schema: Member },
  problems: ['conflict'],
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: memberPath,
  tag,
  summary: 'Remove somebody from an organization',
  action: 'member.remove',
  params: oneMember,
  answer: { status: 204 },
  problems: ['conflict'],
});

export const leaveOrganization = operation({
  id: 'leaveOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/leave',
  tag,
  summary: 'Leave an organization',
  description: 'The last owner cannot.',
  action: 'member.leave',
  params: inOrganization,
  answer: { status: 204 },
  problems: ['conflict'],
});

export const listInvitations = operation({
  id: 'listInvitations',
  method: 'GET',
  path: '/organizations/{organization_id}/invitations',
  tag,
  summary: 'List invitations that nobody has taken yet',
  description: 'Oldest first.',
  action: 'invitation.read',
  params: inOrganization,
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Invitation) },
  paged: true,
});

export const createInvitation = operation({
  id: 'createInvitation',
  method: 'POST',
  path: '/organizations/{organization_id}/invitations',
  tag,
  summary: 'Invite somebody',
  description: 'The link is shown in this answer and never again; no mail is sent. It is good once, for 72 hours.',
  action: 'invitation.create',
  params: inOrganization,
  body: Type.Object(
    { email: Type.String({ minLength: 3, maxLength: 254 }), role: Role },
    { $id: 'NewInvitation', ...closed },
  ),
  answer: {
    status: 201,
    schema: extended(
      Invitation,
      { link: Type.String({ description: 'Whoever has it can take the invitation.' }) },
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
  tag,
  summary: 'Take an invitation back',
  action: 'invitation.revoke',
  params: within('invitation_id'),
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
