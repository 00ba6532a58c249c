import type { Command } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem } from '../exchange/api-server.ts';
import { oldestFirst } from '../list-pages.ts';
import { allowOf, mapped, numberOrOff, onlyOfOption, ownerOption, present } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { find, organizationIfGiven } from './find-thing.ts';
import { type HolderKind, holderCommands } from './holder-commands.ts';
import { admittanceQuestion } from './holder-questions.ts';
import {
  allowOption,
  holderChanges,
  holderOptions,
  permissionChanges,
  permissionNote,
  queryTokenOption,
} from './token-holder-options.ts';
import { allowCell, allowText, tokenLines } from './token-text.ts';

type Deployment = Omit<ApiItem<'listDeployments'>, 'certificate_name'>;

const allow = allowOption('fetch');

const create: Command<ApiAnswer<'createDeployment'>> = {
  name: 'deployment create',
  summary: 'Let a server fetch a certificate: makes a token, which is shown once',
  options: {
    certificate: { type: 'string', required: true, value: 'ID', help: 'The certificate to hand out' },
    name: { type: 'string', required: true, value: 'N', help: 'A name for the server or group of servers' },
    allow: { ...allow, required: true },
    organization: ownerOption,
    yes: yesOption,
  },
  async call(server, args, { confirm }) {
    const given = { name: args.required('name'), allow: allowOf(args) ?? [] };
    await confirm(() => admittanceQuestion(given.name, given.allow));
    const certificate = await find(server, 'certificate', args, args.required('certificate'));
    const { organization_id } =
      certificate.organization_id === undefined
        ? await server.call('showCertificate', { params: certificate })
        : certificate;
    const body = { certificate_id: certificate.certificate_id, ...given };
    return server.call('createDeployment', { params: { organization_id }, body });
  },
  print: ({ token, url, ...deployment }) => [facts(deployment), '', ...tokenLines('The token', token, url)].join('\n'),
};

/** Empty for one that cannot fetch and does not have the current version. */
function versionWord({ outdated_since, last_version, current_version }: Deployment): string | undefined {
  if (outdated_since !== null) return 'outdated';
  return last_version !== null && last_version === current_version ? 'current' : undefined;
}

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

const mostRequests = 1_000_000;

const list: Command<readonly Deployment[]> = {
  name: 'deployment list',
  summary: 'List deployments, oldest first',
  options: {
    organization: onlyOfOption,
    certificate: { type: 'string', value: 'ID', help: 'Only deployments of this certificate' },
    outdated: { type: 'boolean', help: 'Only enabled ones that have not fetched the current version' },
    ...oldestFirst.options,
  },
  async call(server, args) {
    const part = oldestFirst.part(args);
    const [given, organization_id] = [args.optional('certificate'), await organizationIfGiven(server, args)];
    const certificate = given && (await find(server, 'certificate', args, given)).certificate_id;
    const query = { ...present('certificate_id', certificate), ...(args.flag('outdated') && { outdated: true }) };
    return server.list('listDeployments', { params: { organization_id }, query }, part);
  },
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
        'LAST SEEN': ({ last_seen_at }) => last_seen_at ?? 'never',
        VERSION: versionWord,
      },
      args.flag('outdated')
        ? 'No deployment is outdated.'
        : 'There is no deployment here. Make one: waxwing deployment create',
    ) + oldestFirst.next(deployments, args),
};

const kind: HolderKind<'Deployment'> = {
  noun: 'deployment',
  async find(server, args) {
    const params = await find(server, 'deployment', args);
    return { of: 'Deployment', id: params.deployment_id, params };
  },
  facts,
  update: {
    options: {
      ...holderOptions,
      permit: { type: 'boolean', help: 'Give its token the deployment permission' },
      forbid: { type: 'boolean', help: 'Take the deployment permission from its token' },
      allow,
      'query-token': queryTokenOption,
      organization: ownerOption,
      yes: yesOption,
      'requests-per-minute': { type: 'string', value: 'N|off', help: `At most so many requests, 1 to ${mostRequests}` },
    },
    notes: permissionNote,
    changes(args) {
      const perMinute = mapped(args, 'requests-per-minute', (name, text) => numberOrOff(name, text, mostRequests));
      return { ...holderChanges(args), ...permissionChanges(args), ...present('requests_per_minute', perMinute) };
    },
  },
  use: { tryUrl: (url) => url },
  show: {
    summary: 'Show a deployment: its tokens, last hand-outs and refusals',
    details: ({ activity, refusals, outdated_since }) => [
      '',
      activity === null
        ? `Nothing was fetched yet.${outdated_since === null ? '' : ` Outdated since ${outdated_since}.`}`
        : textFacts({
            'last seen': activity.last_seen_at,
            address: activity.last_address,
            'user agent': activity.last_user_agent,
            version: activity.last_version,
            'outdated since': outdated_since ?? 'not outdated',
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
    ],
  },
  remove: { summary: 'Delete a deployment and its tokens' },
};

export const deploymentCommands = holderCommands(kind, create, list);
