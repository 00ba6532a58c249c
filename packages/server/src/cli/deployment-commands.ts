import type { Deployment, DeploymentDetails } from '../deployments/deployment.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Arguments, Command, Positional } from './command.ts';
import { yesOption } from './confirmation.ts';
import { admittanceQuestion, changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import {
  afterId,
  allowOf,
  isAfter,
  mapped,
  nextPage,
  numberOrOff,
  pageOptions,
  present,
  readLimit,
  remoteOrganization,
} from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';
import {
  allowOption,
  type HolderChanges,
  holderBody,
  holderChanges,
  holderOptions,
  overlapBody,
  overlapOption,
  type PermissionChanges,
  permissionBody,
  permissionChanges,
  queryTokenOption,
  type Rotation,
  readRotation,
  requireChanges,
} from './token-holder-options.ts';
import { allowCell, allowText, rotatedText, tokenLines, tokenTable } from './token-text.ts';

const deploymentId: Positional = { name: 'ID', help: 'The deployment, as "deployment list" shows it' };

const allow = allowOption('fetch');

/** The token is in the clear: shown once, here. */
type WithToken = Deployment & { readonly token: string; readonly url: string };

interface NewDeployment {
  readonly certificateId: string;
  readonly name: string;
  readonly allow: readonly string[];
}

const create: Command<NewDeployment, WithToken> = {
  name: 'deployment create',
  summary: 'Let a server fetch a certificate: makes a token, which is shown once',
  options: {
    certificate: { type: 'string', required: true, value: 'ID', help: 'The certificate to hand out' },
    name: { type: 'string', required: true, value: 'N', help: 'A name for the server or group of servers' },
    allow: { ...allow, required: true },
    organization: remoteOrganization,
    yes: yesOption,
  },
  prepare: (args) => ({
    certificateId: args.required('certificate'),
    name: args.required('name'),
    allow: allowOf(args) ?? [],
  }),
  question: async ({ name, allow }) => admittanceQuestion(name, allow),
  async run(application, request, actor) {
    const { deployment, token } = await application.deployments.create(actor, request);
    return { ...deployment, token: token.reveal(), url: retrievalUrl(application.settings.baseUrl) };
  },
  remote: (server, { certificateId, ...body }, args) =>
    server.call('createDeployment', {
      params: { organization_id: args.optional('organization') },
      body: { certificate_id: certificateId, ...body },
    }),
  print: ({ token, url, ...deployment }) => [facts(deployment), '', ...tokenLines('The token', token, url)].join('\n'),
};

const retrievalUrl = (baseUrl: string): string => `${baseUrl}/api/certificate`;

function facts(deployment: Deployment): string {
  return textFacts({
    id: deployment.id,
    name: deployment.name,
    certificate: deployment.certificate_id,
    enabled: deployment.enabled,
    permitted: deployment.permitted,
    allow: allowText(deployment.allow),
    'query token': deployment.query_token,
    'requests/min': deployment.requests_per_minute ?? 'not limited',
    expires: deployment.expires_at ?? 'never',
  });
}

function remoteId(id: string, args: Arguments) {
  return { organization_id: args.optional('organization'), deployment_id: id };
}

interface UpdateInput extends HolderChanges, PermissionChanges {
  readonly requestsPerMinute?: number | null;
}

const mostRequests = 1_000_000;

const update: Command<UpdateInput & { readonly id: string }, Deployment> = {
  name: 'deployment update',
  summary: 'Change a deployment; true from the next request on',
  positionals: [deploymentId],
  options: {
    ...holderOptions,
    permit: { type: 'boolean', help: 'Give its token the deployment permission' },
    forbid: { type: 'boolean', help: 'Take the deployment permission from its token' },
    allow,
    'query-token': queryTokenOption,
    organization: remoteOrganization,
    yes: yesOption,
    'requests-per-minute': { type: 'string', value: 'N|off', help: `At most so many requests, 1 to ${mostRequests}` },
  },
  prepare(args) {
    const changes: UpdateInput = {
      ...holderChanges(args),
      ...permissionChanges(args),
      ...present('requestsPerMinute', mapped(args, 'requests-per-minute', requestsPerMinute)),
    };
    return { id: args.positional('ID'), ...requireChanges(changes, this) };
  },
  question: async ({ id, ...changes }, lookUp) =>
    changeQuestion(await lookUp(show, { id }), changes, systemClock.now()),
  run: (application, { id, ...changes }, actor) => application.deployments.update(actor, id, changes),
  remote: (server, { id, ...changes }, args) =>
    server.call('updateDeployment', {
      params: remoteId(id, args),
      readBy: 'showDeployment',
      body: {
        ...holderBody(changes),
        ...permissionBody(changes),
        ...present('requests_per_minute', changes.requestsPerMinute),
      },
    }),
  print: facts,
};

function requestsPerMinute(option: string, text: string): number | null {
  return numberOrOff(option, text, mostRequests);
}

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<Rotation, Rotated> = {
  name: 'deployment rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [deploymentId],
  options: {
    overlap: overlapOption,
    organization: remoteOrganization,
    yes: yesOption,
  },
  prepare: readRotation,
  question: async (rotation, lookUp) => rotationQuestion((await lookUp(show, { id: rotation.id })).name, rotation),
  async run(application, { id, overlapMs }, actor) {
    const { deployment, token, formerValidUntil } = await application.deployments.rotate(actor, id, overlapMs);
    return {
      ...deployment,
      token: token.reveal(),
      url: retrievalUrl(application.settings.baseUrl),
      former_valid_until: formerValidUntil,
    };
  },
  remote: (server, rotation, args) =>
    server.call('rotateDeployment', { params: remoteId(rotation.id, args), body: overlapBody(rotation) }),
  print: (rotated) => rotatedText(rotated, rotated.url),
};

interface ListInput {
  readonly organizationId?: string;
  readonly certificateId?: string;
  readonly after?: string;
  readonly limit: number;
}

export const listDeployments: Command<ListInput, readonly Deployment[]> = {
  name: 'deployment list',
  summary: 'List deployments, oldest first',
  options: {
    organization: { type: 'string', value: 'ID', help: 'Only those of this organization' },
    certificate: { type: 'string', value: 'ID', help: 'Only those of this certificate' },
    ...pageOptions,
  },
  prepare: (args) => ({
    limit: readLimit(args, 1000),
    ...present('organizationId', args.optional('organization')),
    ...present('certificateId', args.optional('certificate')),
    ...present('after', args.optional('after')),
  }),
  run: (application, filter) => application.deployments.list(filter),
  remote: (server, { organizationId, certificateId, after, limit }) =>
    server.list(
      'listDeployments',
      { params: { organization_id: organizationId }, query: present('certificate_id', certificateId) },
      { limit, ...isAfter('id', after) },
    ),
  print: (deployments, args) =>
    textTable(
      deployments,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        CERTIFICATE: ({ certificate_id }) => certificate_id,
        ENABLED: ({ enabled }) => enabled,
        PERMITTED: ({ permitted }) => permitted,
        ALLOW: ({ allow }) => allowCell(allow),
        EXPIRES: ({ expires_at }) => expires_at ?? 'never',
      },
      'There is no deployment here. Make one: waxwing deployment create',
    ) + nextPage(deployments, readLimit(args, 1000), afterId),
};

const show: Command<{ readonly id: string }, DeploymentDetails> = {
  name: 'deployment show',
  summary: 'Show a deployment: its tokens, what it fetched last, what was refused',
  positionals: [deploymentId],
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }) => application.deployments.show(id),
  remote: (server, { id }, args) => server.call('showDeployment', { params: remoteId(id, args) }),
  print: ({ tokens, activity, refusals, ...deployment }) =>
    [
      facts(deployment),
      '',
      tokenTable(tokens),
      '',
      activity === null
        ? 'Nothing was fetched yet.'
        : textFacts({
            'last seen': activity.last_seen_at,
            address: activity.last_address,
            'user agent': activity.last_user_agent,
            version: activity.last_version,
            successes: activity.successes,
            'not modified': activity.not_modified,
          }),
      '',
      textTable(
        refusals,
        {
          REFUSED: ({ minute }) => minute,
          REASON: ({ reason }) => reason,
          ADDRESS: ({ address }) => address,
          TIMES: ({ count }) => count,
        },
        'Nothing was refused.',
      ),
    ].join('\n'),
};

const remove: Command<{ readonly id: string }, { readonly id: string }> = {
  name: 'deployment delete',
  summary: 'Delete a deployment and its tokens',
  positionals: [deploymentId],
  options: { organization: remoteOrganization, yes: yesOption },
  prepare: (args) => ({ id: args.positional('ID') }),
  question: async ({ id }, lookUp) => deletionQuestion((await lookUp(show, { id })).name),
  run: (application, { id }, actor) => application.deployments.delete(actor, id),
  async remote(server, { id }, args) {
    await server.call('deleteDeployment', { params: remoteId(id, args) });
    return { id };
  },
  print: ({ id }) => `Deployment ${id} is deleted; its tokens are refused from now on.`,
};

export const deploymentCommands: readonly Command[] = [create, update, rotate, listDeployments, show, remove];
