import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, inOrganization, Name, pageOf, pageQuery, partialPage, Time } from './shared-schemas.ts';

export const Organization = Type.Object(
  {
    id: Id,
    name: Name,
    created_at: Time,
    suspended: Type.Boolean({ description: 'Its tokens are refused and its pushes pause; nothing of it is lost.' }),
  },
  { $id: 'Organization', ...closed, description: 'A customer: owns certificates, deployments, keys and messages.' },
);
export type Organization = Type.Static<typeof Organization>;

const tag = 'organizations';

export const listOrganizations = operation({
  id: 'listOrganizations',
  method: 'GET',
  path: '/organizations',
  tag,
  summary: 'List organizations',
  description: `Operators see all of them, people those they belong to, a key its own. Oldest first. With \`search\`: ${partialPage}`,
  action: 'organization.list',
  query: pageQuery({
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name, in any case.' }),
    ),
  }),
  answer: { status: 200, schema: pageOf(Organization) },
  paged: true,
});

export const createOrganization = operation({
  id: 'createOrganization',
  method: 'POST',
  path: '/organizations',
  tag,
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
  tag,
  summary: 'Show an organization',
  action: 'organization.read',
  params: inOrganization,
  answer: { status: 200, schema: Organization },
});

export const suspendOrganization = operation({
  id: 'suspendOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/suspend',
  tag,
  summary: 'Suspend an organization',
  description: 'Its tokens are refused from the next request on and its pushes pause. Nothing of it is lost.',
  action: 'organization.suspend',
  params: inOrganization,
  answer: { status: 200, schema: Organization },
});

export const resumeOrganization = operation({
  id: 'resumeOrganization',
  method: 'POST',
  path: '/organizations/{organization_id}/resume',
  tag,
  summary: 'Resume a suspended organization',
  action: 'organization.resume',
  params: inOrganization,
  answer: { status: 200, schema: Organization },
});

export const organizationOperations = [
  listOrganizations,
  createOrganization,
  showOrganization,
  suspendOrganization,
  resumeOrganization,
] as const;
