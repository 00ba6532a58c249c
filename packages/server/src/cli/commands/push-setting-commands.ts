import type { PushKind } from '@waxwing/contract/push-request.ts';
import { toNewSecret } from '../../push/settings/change-signing-secret.ts';
import { type SettingLimit, settingLimits } from '../../push/settings/push-setting.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { type Arguments, type Command, type Option, type Question, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiServer } from '../exchange/api-server.ts';
import { either, mapped, oneOf, organizationOption, present, wholeNumber } from '../option-values.ts';
import { readSecret } from '../read-password.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { organizationOf } from './find-thing.ts';

export const kindOption = {
  type: 'string',
  value: 'status|uplink',
  help: 'Final statuses of messages, or replies (uplink)',
} as const satisfies Option;

export const pushKind = (option: string, text: string): PushKind => oneOf(option, text, ['status', 'uplink']);

/** Which setting: there are two of each organization. */
const named = { organization: organizationOption, kind: { ...kindOption, required: true } } as const;

interface Named {
  readonly organization_id: string;
  readonly kind: PushKind;
}

async function nameOf(server: ApiServer, args: Arguments): Promise<Named> {
  const kind = pushKind('kind', args.required('kind'));
  return { organization_id: await organizationOf(server, args), kind };
}

type Shown = ApiAnswer<'showPushSetting'>;
/** One that somebody has made: the API shows the standards where nothing is set yet. */
type Standing = Shown & { readonly id: string; readonly url: string };

const set: Command<Standing & { readonly secret?: string }> = {
  name: 'push-setting set',
  summary: 'Make or change where statuses or replies are pushed; serves waiting retries too',
  options: {
    ...named,
    url: { type: 'string', value: 'URL', help: 'The public http or https address that answers each push with 200' },
    enable: { type: 'boolean', help: 'Push events from now on' },
    disable: {
      type: 'boolean',
      help: 'Push nothing from now on; waiting pushes end as off. A new setting is disabled',
    },
    retries: numberOption('Attempts after the first', settingLimits.retries),
    timeout: { ...numberOption('Seconds that an attempt may take', settingLimits.timeout), value: 'SECONDS' },
    concurrency: numberOption('Attempts that run at once at most', settingLimits.concurrency),
    yes: yesOption,
    secret: {
      type: 'string',
      value: 'generate|none|-|whsec_…',
      help: 'Sign pushes with a new secret, not at all, or with your own one; "-" reads it from stdin',
    },
  },
  notes:
    'A generated secret is shown once. A secret that is replaced signs beside the new one for 24 hours, at most five of them do;\n' +
    '"--secret none" ends all at once. A secret written on the command line can be read by every account of the machine while it\n' +
    'runs: give your own one by stdin. What is not pushed while the switch is off is sent later by "push resend --undelivered".',
  async call(server, args, { terminal, confirm }) {
    const body = {
      ...present('url', args.optional('url')),
      ...present('enabled', either(args, 'enable', 'disable')),
      ...present('retries', mapped(args, 'retries', within(settingLimits.retries))),
      ...present('timeout_seconds', mapped(args, 'timeout', within(settingLimits.timeout))),
      ...present('concurrency', mapped(args, 'concurrency', within(settingLimits.concurrency))),
    };
    pushKind('kind', args.required('kind'));
    const given = args.optional('secret');
    const secret = given === '-' ? await readSecret(terminal, 'secret') : given;
    // The secret is set by a second request: a malformed one must not leave the first one done.
    if (secret !== undefined && !['generate', 'none'].includes(secret)) toNewSecret(new SecretText(secret));
    const hasChanges = Object.keys(body).length > 0;
    if (!hasChanges && secret === undefined) throw new Usage('Nothing to change was named.', this.name);
    const params = await nameOf(server, args);
    await confirm(() => settingQuestion(server, params, body.enabled === false, secret === 'none'));
    const changed = hasChanges
      ? await server.call('updatePushSetting', { params, body, readBy: 'showPushSetting' })
      : undefined;
    if (changed !== undefined && secret === undefined) return standing(changed, params);
    if (secret === 'none') return standing(await server.call('removePushSecret', { params }), params);
    const made = await server.call('setPushSecret', {
      params,
      body: secret === 'generate' ? {} : present('secret', secret),
    });
    return { ...standing(made.setting, params), ...present('secret', made.secret ?? undefined) };
  },
  print: ({ secret, ...setting }) =>
    [facts(setting), ...(secret === undefined ? [] : ['', 'The secret, shown this once:', `  ${secret}`])].join('\n'),
};

async function settingQuestion(
  server: ApiServer,
  params: Named,
  switchesOff: boolean,
  removesSecret: boolean,
): Promise<Question | undefined> {
  if (!switchesOff && !removesSecret) return undefined;
  const { enabled, signed } = await server.call('showPushSetting', { params });
  const consequences = [];
  if (enabled && switchesOff) {
    const { waiting } = await server.call('showPushHealth', { params });
    const pushes = `${counted(waiting)} waiting pushes`;
    consequences.push(`${pushes} and all that would follow end as off; "push resend --undelivered" sends them later.`);
  }
  const losesSecret = signed && removesSecret;
  if (losesSecret) consequences.push('A receiver that checks signatures refuses every push from now on, for good.');
  if (consequences.length === 0) return undefined;
  return { consequence: consequences.join('\n'), ...(losesSecret && { name: params.kind }) };
}

/** @throws Problem `not_found` for standards that nobody has set */
function standing(setting: Shown, { organization_id, kind }: Named): Standing {
  if (isStanding(setting)) return setting;
  const detail = `Organization ${organization_id} has no push setting for ${kind}. "push-setting set --url" makes one.`;
  throw new Problem('not_found', { field: 'kind', detail });
}

function isStanding(setting: Shown): setting is Standing {
  return setting.id !== null;
}

function numberOption(what: string, { least, most, standard }: SettingLimit): Option & { readonly type: 'string' } {
  return { type: 'string', value: 'N', help: `${what}, ${least} to ${most} (default ${standard})` };
}

function within({ least, most }: SettingLimit): (option: string, text: string) => number {
  return (option, text) => wholeNumber(option, text, least, most);
}

function facts(setting: Standing): string {
  return textFacts({
    id: setting.id,
    organization: setting.organization_id,
    kind: setting.kind,
    url: setting.url,
    enabled: setting.enabled,
    retries: setting.retries,
    'time limit': `${setting.timeout_seconds} s`,
    concurrency: setting.concurrency,
    signed: setting.signed,
    ...present('former secret until', setting.former_secret_until ?? undefined),
  });
}

/** How it goes at the moment. */
type Health = Pick<ApiAnswer<'showPushHealth'>, 'waiting' | 'failed' | 'oldest_due_at' | 'lane'>;
type WithHealth = Standing & { readonly health: Health };

async function withHealth(server: ApiServer, setting: Standing): Promise<WithHealth> {
  const params = { organization_id: setting.organization_id, kind: setting.kind };
  const { waiting, failed, oldest_due_at, lane } = await server.call('showPushHealth', { params });
  return { ...setting, health: { waiting, failed, oldest_due_at, lane } };
}

/** A list shows no secrets that a customer may have put into a query. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '?***');

const show: Command<WithHealth> = {
  name: 'push-setting show',
  summary: 'Show a push setting, with its waiting and failed pushes',
  options: named,
  async call(server, args) {
    const params = await nameOf(server, args);
    return withHealth(server, standing(await server.call('showPushSetting', { params }), params));
  },
  print({ health, ...setting }) {
    const lane = health.lane;
    return [
      facts(setting),
      '',
      textFacts({
        waiting: counted(health.waiting),
        failed: counted(health.failed),
        ...present('oldest due', health.oldest_due_at ?? undefined),
        lane: laneText(health),
        ...present('attempts running', lane?.running),
        ...present('attempts at once', lane?.window),
        ...present('silent attempts', lane?.silence),
        ...present('goes on', lane?.next_at ?? undefined),
      }),
    ].join('\n');
  },
};

/** Counting ends there: see PushHealth. */
const countingEnds = 10_000;

function counted(count: number): string | number {
  return count >= countingEnds ? `${countingEnds} or more` : count;
}

function laneText(health: Health): string {
  return health.lane?.state ?? 'idle';
}

const list: Command<readonly WithHealth[]> = {
  name: 'push-setting list',
  summary: 'List the push settings of an organization, with their state',
  options: { organization: organizationOption },
  notes: 'The query of a URL is not listed, since it may hold a secret of the customer; "push-setting show" shows it.',
  async call(server, args) {
    const organization_id = await organizationOf(server, args);
    const settings = await server.list('listPushSettings', { params: { organization_id } });
    const standing = settings.filter((setting) => isStanding(setting));
    return Promise.all(standing.map((setting) => withHealth(server, { ...setting, url: withoutQuery(setting.url) })));
  },
  print: (settings) =>
    textTable(
      settings,
      {
        KIND: ({ kind }) => kind,
        ENABLED: ({ enabled }) => enabled,
        URL: ({ url }) => url,
        SIGNED: ({ signed }) => signed,
        WAITING: ({ health }) => counted(health.waiting),
        FAILED: ({ health }) => counted(health.failed),
        LANE: ({ health }) => laneText(health),
      },
      'There is no push setting here. Make one: waxwing push-setting set',
    ),
};

const tryOut: Command<ApiAnswer<'testPushSetting'>> = {
  name: 'push-setting test',
  summary: 'Send one push with sample values, whether the switch is on or off',
  options: named,
  notes: 'The exit code is 1 when it was not answered 200. It is no message of anybody, and is not kept.',
  call: async (server, args) => server.call('testPushSetting', { params: await nameOf(server, args) }),
  print: ({ url, headers, delivered, outcome, status, error, address, ms, answer }) =>
    [
      `GET ${plainText(url)}`,
      ...Object.entries(headers).map(([name, value]) => plainText(`${name}: ${value}`)),
      '',
      textFacts({ delivered, outcome, status, error, address, 'took ms': ms, answer }),
    ].join('\n'),
  isFailure: ({ delivered }) => !delivered,
};

export const pushSettingCommands: readonly Command[] = [set, show, list, tryOut];
