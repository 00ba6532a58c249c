import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, Name, partialPage, searchText, Time } from '../shared-schemas.ts';

export const Organization = Type.Object(
  {
    id: Id,
    name: Name,
    created_at: Time,
    suspended: Type.Boolean({ description: 'Its tokens are refused and its pushes pause. It loses no data.' }),
  },
  { $id: 'Organization', ...closed, description: 'A customer: owns certificates, deployments, keys and messages.' },
);
export type Organization = Type.Static<typeof Organization>;

const operation = operationsOf('organizations');

export const listOrganizations = operation({
  id: 'listOrganizations',
  method: 'GET',
  path: '/organizations',
  summary: 'List organizations',
  description: `Operators see all, people and keys their own. Oldest first. With \`search\`: ${partialPage}`,
  action: 'organization.list',
  ...listOf(Organization, {
    search: searchText('A part of the name, in any letter case.'),
  }),
});

export const createOrganization = operation({
  id: 'createOrganization',
  method: 'POST',
  path: '/organizations',
  summary: 'Make an organization',
  action: 'organization.create',
  body: Type.Object({ name: Name }, { $id: 'NewOrganization', ...closed }),
  answer: { status: 201, schema: Organization },
  problems: ['conflict'],
  idempotent: true,
});

export const showOrganization = operation({
  id: 'showOrganization',
  method: 'GET',
  path: '/organizations/{organization_id}',
  summary: 'Show an organization',
  action: 'organization.read',
  answer: { status: 200, schema: Organization },
});

export const updateOrganization = operation({
  id: 'updateOrganization',
  method: 'PATCH',
  path: '/organizations/{organization_id}',
  summary: 'Rename an organization',
  action: 'organization.update',
  body: Type.Object({ name: Name }, { $id: 'OrganizationUpdate', ...closed }),
  answer: { status: 200, schema: Organization },
  problems: ['conflict'],
});

export const deleteOrganization = operation({
  id: 'deleteOrganization',
  method: 'DELETE',
  path: '/organizations/{organization_id}',
  summary: 'Delete an empty organization',
  description:
    'Refused while it has certificates, keys, inbound numbers, messages, replies or the history of pushes. Its members keep their accounts; its settings, lists and invitations go with it. The audit trail keeps its entries.',
  action: 'organization.delete',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const suspendOrganization = operation({
  id: 'suspendOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/suspend',
  summary: 'Suspend an organization',
  description: 'Its tokens are refused from the next request on, and its pushes pause. It loses no data.',
  action: 'organization.suspend',
  answer: { status: 200, schema: Organization },
});

export const resumeOrganization = operation({
  id: 'resumeOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/resume',
  summary: 'Resume a suspended organization',
  action: 'organization.resume',
  answer: { status: 200, schema: Organization },
});

export const organizationOperations = [
  listOrganizations,
  createOrganization,
  showOrganization,
  updateOrganization,
  deleteOrganization,
  suspendOrganization,
  resumeOrganization,
] as const;
