import type { Deployment, DeploymentDetails } from '../deployments/deployment.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from './command.ts';
import {
  afterId,
  allowOf,
  either,
  expiry,
  isAfter,
  mapped,
  momentText,
  nextPage,
  numberOrOff,
  onOff,
  overlapBody,
  pageOptions,
  present,
  readLimit,
  remoteOrganization,
  span,
} from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';
import { tokenLines } from './token-text.ts';

const deploymentId: Positional = { name: 'ID', help: 'The deployment, as "deployment list" shows it' };

const allow: Option = {
  type: 'string',
  multiple: true,
  value: 'CIDR[,CIDR]',
  help: 'Addresses and networks that may fetch, such as 203.0.113.7,2001:db8::/32; "none" admits nobody',
};

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
  },
  prepare: (args) => ({
    certificateId: args.required('certificate'),
    name: args.required('name'),
    allow: allowOf(args) ?? [],
  }),
  async run(application, request, actor) {
    const { deployment, token } = await application.deployments.create(actor, request);
    return { ...deployment, token: token.reveal(), url: retrievalUrl(application.settings.baseUrl) };
  },
  remote: (server, { certificateId, ...body }, args) =>
    server.call('createDeployment', {
      params: { organization_id: args.optional('organization') },
      body: { certificate_id: certificateId, ...body },
    }),
  print: ({ token, url, ...deployment }) => [facts(deployment), '', ...tokenLines('The token', url, token)].join('\n'),
};

const retrievalUrl = (baseUrl: string): string => `${baseUrl}/api/certificate`;

function facts(deployment: Deployment): string {
  return textFacts({
    id: deployment.id,
    name: deployment.name,
    certificate: deployment.certificate_id,
    enabled: deployment.enabled,
    permitted: deployment.permitted,
    allow: deployment.allow.join(', ') || 'nobody',
    'query token': deployment.query_token,
    'requests/min': deployment.requests_per_minute ?? 'not limited',
    expires: deployment.expires_at ?? 'never',
  });
}

function remoteId(id: string, args: Arguments) {
  return { organization_id: args.optional('organization'), deployment_id: id };
}

interface UpdateInput {
  readonly id: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly permitted?: boolean;
  readonly queryToken?: boolean;
  readonly allow?: readonly string[];
  readonly requestsPerMinute?: number | null;
  readonly expiresAt?: number | null;
}

const mostRequests = 1_000_000;

const update: Command<UpdateInput, Deployment> = {
  name: 'deployment update',
  summary: 'Change a deployment; true from the next request on',
  positionals: [deploymentId],
  options: {
    enable: { type: 'boolean', help: 'Accept its token' },
    disable: { type: 'boolean', help: 'Refuse its token as invalid' },
    permit: { type: 'boolean', help: 'Give its token the deployment permission' },
    forbid: { type: 'boolean', help: 'Take the deployment permission from its token' },
    allow,
    'query-token': { type: 'string', value: 'on|off', help: 'Whether the token may come as key= in the URL' },
    expires: {
      type: 'string',
      value: 'DATE|never',
      help: 'The last day (in UTC) or the moment until which it is good: 2030-01-31, 2030-01-31T12:00:00Z',
    },
    rename: { type: 'string', value: 'N', help: 'Its new name' },
    organization: remoteOrganization,
    'requests-per-minute': { type: 'string', value: 'N|off', help: `At most so many requests, 1 to ${mostRequests}` },
  },
  prepare(args) {
    const input: UpdateInput = {
      id: args.positional('ID'),
      ...present('name', args.optional('rename')),
      ...present('enabled', either(args, 'enable', 'disable')),
      ...present('permitted', either(args, 'permit', 'forbid')),
      ...present('queryToken', mapped(args, 'query-token', onOff)),
      ...present('allow', allowOf(args)),
      ...present('requestsPerMinute', mapped(args, 'requests-per-minute', requestsPerMinute)),
      ...present('expiresAt', mapped(args, 'expires', expiry)),
    };
    if (Object.keys(input).length === 1) throw new Usage('Nothing to change was named.', this.name);
    return input;
  },
  run: (application, { id, ...changes }, actor) => application.deployments.update(actor, id, changes),
  remote: (server, { id, ...changes }, args) =>
    server.call('updateDeployment', {
      params: remoteId(id, args),
      readBy: 'showDeployment',
      body: {
        ...present('name', changes.name),
        ...present('enabled', changes.enabled),
        ...present('permitted', changes.permitted),
        ...present('query_token', changes.queryToken),
        ...present('allow', changes.allow),
        ...present('requests_per_minute', changes.requestsPerMinute),
        ...present('expires_at', momentText(changes.expiresAt)),
      },
    }),
  print: facts,
};

function requestsPerMinute(option: string, text: string): number | null {
  return numberOrOff(option, text, mostRequests);
}

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<{ readonly id: string; readonly overlapMs: number }, Rotated> = {
  name: 'deployment rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [deploymentId],
  options: {
    overlap: { type: 'string', value: 'SPAN', help: 'How long the former token stays valid: 24h (default), 30m, 0 …' },
    organization: remoteOrganization,
  },
  prepare: (args) => ({
    id: args.positional('ID'),
    overlapMs: span('overlap', args.optional('overlap') ?? '24h', '30d'),
  }),
  async run(application, { id, overlapMs }, actor) {
    const { deployment, token, formerValidUntil } = await application.deployments.rotate(actor, id, overlapMs);
    return {
      ...deployment,
      token: token.reveal(),
      url: retrievalUrl(application.settings.baseUrl),
      former_valid_until: formerValidUntil,
    };
  },
  remote: (server, { id, overlapMs }, args) =>
    server.call('rotateDeployment', { params: remoteId(id, args), body: overlapBody(overlapMs) }),
  print: ({ id, token, url, former_valid_until }) =>
    [
      textFacts({ id, 'former token valid until': former_valid_until }),
      '',
      ...tokenLines('The new token', url, token),
    ].join('\n'),
};

interface ListInput {
  readonly organizationId?: string;
  readonly certificateId?: string;
  readonly after?: string;
  readonly limit: number;
}

const list: Command<ListInput, readonly Deployment[]> = {
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
        ALLOW: ({ allow }) =>
          allow.length > 3 ? `${allow.slice(0, 3)} +${allow.length - 3}` : allow.join(',') || 'nobody',
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
      textTable(
        tokens,
        {
          TOKEN: ({ hint }) => `${hint}…`,
          CREATED: ({ created_at }) => created_at,
          VALID: ({ expires_at }) => `until ${expires_at ?? 'rotated'}`,
        },
        'It has no token.',
      ),
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
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }, actor) => application.deployments.delete(actor, id),
  async remote(server, { id }, args) {
    await server.call('deleteDeployment', { params: remoteId(id, args) });
    return { id };
  },
  print: ({ id }) => `Deployment ${id} is deleted; its tokens are refused from now on.`,
};

export const deploymentCommands: readonly Command[] = [create, update, rotate, list, show, remove];
