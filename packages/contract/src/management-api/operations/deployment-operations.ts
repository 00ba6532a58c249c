import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import {
  AllowList,
  ClientAddress,
  closed,
  extended,
  Id,
  listOf,
  Name,
  nullable,
  partialPage,
  searchText,
  Time,
} from '../shared-schemas.ts';
import { formerToken, HeldTokens, holderChange, permissionChange, shownOnce, TokenRotation } from '../token-schemas.ts';

/** What people set, without what changes when a server fetches or the certificate gets a version. */
const DeploymentSettings = Type.Object(
  {
    id: Id,
    organization_id: Id,
    certificate_id: Id,
    name: Name,
    enabled: Type.Boolean({ description: 'False: its token is refused as invalid.' }),
    permitted: Type.Boolean({ description: 'False: its token has no deployment permission.' }),
    query_token: Type.Boolean({ description: 'Whether `key=` in the URL counts as a credential.' }),
    allow: AllowList,
    requests_per_minute: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), { description: 'Null: no limit.' }),
    expires_at: nullable(Time, { description: 'When its token expires. Null: never.' }),
    created_at: Time,
    updated_at: Time,
  },
  closed,
);

export const Deployment = extended(
  DeploymentSettings,
  {
    current_version: nullable(Id, { description: 'The current version of its certificate.' }),
    last_version: nullable(Id, { description: 'The version it fetched last. Null: it has fetched nothing yet.' }),
    last_version_number: nullable(Type.Integer({ minimum: 1 }), { description: 'The number of that version.' }),
    last_seen_at: nullable(Time, { description: 'Its last successful fetch, known within seconds.' }),
    last_user_agent: nullable(Type.String(), { description: 'The program that made that fetch.' }),
    outdated_since: nullable(Time, {
      description:
        'It can fetch the current version and has not: since that version became current, or since the deployment was made, whichever is later. Null: it is not outdated, or it cannot fetch: it is disabled, forbidden or expired, or the certificate or its version is revoked.',
    }),
  },
  { $id: 'Deployment', description: "One server's, or group of servers', right to fetch one certificate." },
);
export type Deployment = Type.Static<typeof Deployment>;

const Refusal = Type.Object(
  {
    minute: Time,
    reason: Type.String({ description: 'The code that was answered.' }),
    address: Type.String(),
    count: Type.Integer({ minimum: 1 }),
  },
  { $id: 'DeploymentRefusal', ...closed, description: 'Refused requests with a known token, in one minute.' },
);

export const DeploymentDetails = extended(
  Deployment,
  {
    tokens: HeldTokens,
    activity: nullable(
      Type.Object(
        {
          last_seen_at: Time,
          last_address: Type.String(),
          last_user_agent: Type.String(),
          last_version: Id,
          successes: Type.Integer({ minimum: 0 }),
          not_modified: Type.Integer({ minimum: 0 }),
        },
        closed,
      ),
      { description: 'Its last hand-out. Null: none yet.' },
    ),
    refusals: Type.Array(Refusal, { description: 'The latest, newest first.' }),
  },
  { $id: 'DeploymentDetails' },
);
export type DeploymentDetails = Type.Static<typeof DeploymentDetails>;

const clear = {
  ...shownOnce('wxd_'),
  url: Type.String({ format: 'uri', description: 'The URLs for the server.' }),
};

const DeploymentWithToken = extended(Deployment, clear, { $id: 'DeploymentWithToken' });

export const ListedDeployment = extended(
  Deployment,
  { certificate_name: Type.String({ description: 'Of its certificate.' }) },
  { $id: 'ListedDeployment' },
);

const operation = operationsOf('deployments');
const path = '/organizations/{organization_id}/deployments/{deployment_id}';

export const listDeployments = operation({
  id: 'listDeployments',
  method: 'GET',
  path: '/organizations/{organization_id}/deployments',
  summary: 'List deployments',
  description: `Oldest first. With \`search\` or \`outdated\`: ${partialPage}`,
  action: 'deployment.read',
  ...listOf(ListedDeployment, {
    certificate_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only those of this certificate.' })),
    search: searchText('A part of the name, or of a domain of the certificate, in any letter case.'),
    outdated: Type.Optional(
      Type.Boolean({ description: 'True: only those that are outdated. False: only those that are not.' }),
    ),
  }),
  everywhere: true,
});

export const countDeployments = operation({
  id: 'countDeployments',
  method: 'GET',
  path: '/organizations/{organization_id}/deployment-counts',
  summary: 'Count the deployments of certificates',
  description: 'For a list of certificates. The answer omits certificates without deployments, and unknown ids.',
  action: 'deployment.read',
  query: Type.Object(
    {
      certificate_ids: Type.Optional(
        Type.String({
          pattern: '^[0-9A-Za-z_-]{1,64}(,[0-9A-Za-z_-]{1,64}){0,199}$',
          description: 'Up to 200 ids, separated by commas.',
        }),
      ),
    },
    closed,
  ),
  answer: {
    status: 200,
    schema: Type.Object(
      {
        counts: Type.Array(Type.Object({ certificate_id: Id, deployments: Type.Integer({ minimum: 1 }) }, closed), {
          maxItems: 200,
        }),
      },
      { $id: 'DeploymentCounts', ...closed },
    ),
  },
});

export const showClientAddress = operation({
  id: 'showClientAddress',
  method: 'GET',
  path: '/organizations/{organization_id}/client-address',
  summary: 'Show the address that this request comes from',
  description: 'As allow-lists see it.',
  action: 'deployment.read',
  answer: { status: 200, schema: ClientAddress },
});

export const createDeployment = operation({
  id: 'createDeployment',
  method: 'POST',
  path: '/organizations/{organization_id}/deployments',
  summary: 'Let a server fetch a certificate',
  description:
    'Makes a token, shown only in this answer. With it, anyone can read the private key. A deployment made by a management key expires with that key at the latest.',
  action: 'deployment.create',
  body: Type.Object({ certificate_id: Id, name: Name, allow: AllowList }, { $id: 'NewDeployment', ...closed }),
  longBody: true,
  answer: { status: 201, schema: DeploymentWithToken },
  problems: ['conflict'],
  secret: true,
  fresh: 'people',
  idempotent: true,
});

export const showDeployment = operation({
  id: 'showDeployment',
  method: 'GET',
  path,
  summary: 'Show a deployment',
  description: 'With its tokens (never in clear), its last hand-out, and its latest refusals.',
  action: 'deployment.read',
  answer: { status: 200, schema: DeploymentDetails },
  tagged: DeploymentSettings,
});

export const updateDeployment = operation({
  id: 'updateDeployment',
  method: 'PATCH',
  path,
  summary: 'Change a deployment',
  description:
    'Takes effect on the next request. Absent fields stay as they are. To admit more addresses, a person must have signed in or confirmed their identity in the last five minutes.',
  action: 'deployment.update',
  body: Type.Object(
    {
      ...holderChange,
      ...permissionChange,
      requests_per_minute: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
    },
    { $id: 'DeploymentUpdate', ...closed, minProperties: 1 },
  ),
  longBody: true,
  answer: { status: 200, schema: Deployment },
  problems: ['reauthentication_required'],
  tagged: DeploymentSettings,
  ifMatch: true,
});

export const rotateDeployment = operation({
  id: 'rotateDeployment',
  method: 'POST',
  path: `${path}/rotate`,
  summary: 'Make a new token for a deployment',
  description: 'It is shown only in this answer. The former one stays valid for the overlap.',
  action: 'deployment.rotate',
  body: TokenRotation,
  answer: {
    status: 201,
    schema: extended(Deployment, { ...clear, ...formerToken }, { $id: 'RotatedDeployment' }),
  },
  secret: true,
  fresh: 'people',
  idempotent: true,
});

export const deleteDeployment = operation({
  id: 'deleteDeployment',
  method: 'DELETE',
  path,
  summary: 'Delete a deployment and its tokens',
  description: 'They are refused from the next request on. The audit trail keeps its hand-outs.',
  action: 'deployment.delete',
  answer: { status: 204 },
});

export const listDeploymentRefusals = operation({
  id: 'listDeploymentRefusals',
  method: 'GET',
  path: `${path}/refusals`,
  summary: 'List refusals of a deployment',
  description: 'Counted by minute, reason and address; the newest minute first.',
  action: 'deployment.read',
  ...listOf(Refusal),
});

const Retrieval = Type.Object(
  {
    at: Time,
    version: nullable(Id, { description: 'The version of the certificate.' }),
    address: nullable(Type.String()),
    user_agent: nullable(Type.String()),
  },
  { $id: 'DeploymentRetrieval', ...closed },
);

export const listDeploymentRetrievals = operation({
  id: 'listDeploymentRetrievals',
  method: 'GET',
  path: `${path}/retrievals`,
  summary: 'List the hand-outs to a deployment',
  description: 'Every answer that carried a private key, as the audit trail recorded it, newest first.',
  action: 'deployment.read',
  ...listOf(Retrieval),
});

const CertificateRetrieval = extended(
  Retrieval,
  {
    deployment: Type.Object(
      { id: Id, name: nullable(Name, { description: 'Null: it was deleted.' }) },
      { ...closed, description: 'The deployment that fetched it.' },
    ),
  },
  { $id: 'CertificateRetrieval' },
);

export const listCertificateRetrievals = operation({
  id: 'listCertificateRetrievals',
  method: 'GET',
  path: '/organizations/{organization_id}/certificates/{certificate_id}/retrievals',
  summary: 'List the hand-outs of a certificate',
  description: 'To all its deployments: every answer that carried a private key, newest first.',
  action: 'deployment.read',
  ...listOf(CertificateRetrieval),
});

export const deploymentOperations = [
  listDeployments,
  countDeployments,
  showClientAddress,
  createDeployment,
  showDeployment,
  updateDeployment,
  rotateDeployment,
  deleteDeployment,
  listDeploymentRefusals,
  listDeploymentRetrievals,
  listCertificateRetrievals,
] as const;
