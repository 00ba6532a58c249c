import type { PushKind } from '@waxwing/contract/push-request.ts';
import type { Application } from '../compose.ts';
import type { PushHealth } from '../push/manage-push-settings.ts';
import { type PushSetting, type SettingLimit, settingLimits } from '../push/push-setting.ts';
import type { PushSettingRequest } from '../push/push-setting-change.ts';
import type { TestPush } from '../push/test-push.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { type Arguments, type Command, type Option, Usage } from './command.ts';
import { type LookUp, type Question, yesOption } from './confirmation.ts';
import { either, mapped, oneOf, organizationOption, present, wholeNumber } from './option-values.ts';
import { readSecret } from './read-password.ts';
import type { RemoteAnswer, RemoteServer } from './remote-server.ts';
import type { Terminal } from './terminal.ts';
import { plainText, textFacts, textTable } from './text-table.ts';

export const kindOption = {
  type: 'string',
  value: 'status|uplink',
  help: 'Final statuses of messages, or replies (uplink)',
} as const satisfies Option;

export const pushKind = (option: string, text: string): PushKind => oneOf(option, text, ['status', 'uplink']);

/** Which setting: there are two of each organization. */
interface Named {
  readonly organizationId: string;
  readonly kind: PushKind;
}

const named = { organization: organizationOption, kind: { ...kindOption, required: true } } as const;

function nameOf(args: Arguments): Named {
  return { organizationId: args.required('organization'), kind: pushKind('kind', args.required('kind')) };
}

interface SetInput extends Named {
  readonly url?: string;
  readonly enabled?: boolean;
  readonly retries?: number;
  readonly timeoutSeconds?: number;
  readonly concurrency?: number;
  /** `generate`, `none` or the customer's own in the clear. */
  readonly secret?: string;
}

/** A generated secret is in the clear: shown once, here. */
type MaybeWithSecret = PushSetting & { readonly secret?: string };

const set: Command<SetInput, MaybeWithSecret> = {
  name: 'push-setting set',
  summary: 'Make or change where statuses or replies are pushed; serves waiting retries too',
  options: {
    ...named,
    url: { type: 'string', value: 'URL', help: 'The public http or https address that answers each push with 200' },
    enable: { type: 'boolean', help: 'Push what happens from now on' },
    disable: { type: 'boolean', help: 'Queue nothing more; what waits ends as off (as a new setting is)' },
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
  async prepare(args, { terminal }) {
    const input: SetInput = {
      ...nameOf(args),
      ...present('url', args.optional('url')),
      ...present('enabled', either(args, 'enable', 'disable')),
      ...present('retries', mapped(args, 'retries', within(settingLimits.retries))),
      ...present('timeoutSeconds', mapped(args, 'timeout', within(settingLimits.timeout))),
      ...present('concurrency', mapped(args, 'concurrency', within(settingLimits.concurrency))),
      ...present('secret', await secretOf(args, terminal)),
    };
    if (Object.keys(input).length === 2) throw new Usage('Nothing to change was named.', this.name);
    return input;
  },
  question: settingQuestion,
  async run(application, { secret, ...request }, actor) {
    const { setting, secret: generated } = await application.messaging.pushSettings.set(actor, {
      ...request,
      ...present('secret', toSecret(secret)),
    });
    return { ...setting, ...present('secret', generated?.reveal()) };
  },
  async remote(server, { organizationId, kind, secret, timeoutSeconds, ...choices }) {
    const params = { organization_id: organizationId, kind };
    const body = { ...choices, ...present('timeout_seconds', timeoutSeconds) };
    const changed =
      Object.keys(body).length === 0
        ? undefined
        : await server.call('updatePushSetting', { params, body, readBy: 'showPushSetting' });
    if (secret === undefined) return standing(changed);
    if (secret === 'none') return standing(await server.call('removePushSecret', { params }));
    const given = secret === 'generate' ? {} : { secret };
    const { setting, secret: generated } = await server.call('setPushSecret', { params, body: given });
    return { ...standing(setting), ...present('secret', generated ?? undefined) };
  },
  print: ({ secret, ...setting }) =>
    [facts(setting), ...(secret === undefined ? [] : ['', 'The secret, shown this once:', `  ${secret}`])].join('\n'),
};

async function settingQuestion(
  { organizationId, kind, enabled, secret }: SetInput,
  lookUp: LookUp,
): Promise<Question | undefined> {
  if (enabled !== false && secret !== 'none') return undefined;
  const setting = (await lookUp(list, { organizationId })).find((each) => each.kind === kind);
  const consequences = [];
  if (setting?.enabled === true && enabled === false) {
    const waiting = `${counted(setting.health?.waiting) ?? 0} waiting pushes`;
    consequences.push(`${waiting} and all that would follow end as off; "push resend --undelivered" sends them later.`);
  }
  const losesSecret = setting?.signed === true && secret === 'none';
  if (losesSecret) consequences.push('A receiver that checks signatures refuses every push from now on, for good.');
  if (consequences.length === 0) return undefined;
  return { consequence: consequences.join('\n'), ...(losesSecret && { name: kind }) };
}

type RemoteSetting = RemoteAnswer<'showPushSetting'>;

/** The API shows the standards where nothing is set yet. @throws Problem `not_found` for those */
function standing(setting: RemoteSetting | undefined): PushSetting {
  if (!isStanding(setting)) throw new Problem('not_found', { field: 'push_setting' });
  return setting;
}

function isStanding(setting: RemoteSetting | undefined): setting is RemoteSetting & PushSetting {
  return typeof setting?.id === 'string';
}

function numberOption(what: string, { least, most, standard }: SettingLimit): Option & { readonly type: 'string' } {
  return { type: 'string', value: 'N', help: `${what}, ${least} to ${most} (default ${standard})` };
}

function within({ least, most }: SettingLimit): (option: string, text: string) => number {
  return (option, text) => wholeNumber(option, text, least, most);
}

async function secretOf(args: Arguments, terminal: Terminal): Promise<string | undefined> {
  const given = args.optional('secret');
  return given === '-' ? readSecret(terminal, 'secret') : given;
}

function toSecret(given: string | undefined): PushSettingRequest['secret'] {
  return given === undefined || given === 'generate' || given === 'none' ? given : new SecretText(given);
}

function facts(setting: PushSetting): string {
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
type Health = Omit<PushHealth, 'kind' | 'enabled'>;
type WithHealth = PushSetting & { readonly health: Health | null };

async function readHealth({ messaging }: Application, organizationId: string): Promise<Map<PushKind, Health>> {
  const all = await messaging.pushSettings.health(organizationId, (id) => messaging.engine.laneStatus(id));
  return new Map(
    all.map(({ kind, waiting, failed, oldest_due_at, lane }) => [kind, { waiting, failed, oldest_due_at, lane }]),
  );
}

async function remoteHealth(server: RemoteServer, setting: PushSetting): Promise<WithHealth> {
  const params = { organization_id: setting.organization_id, kind: setting.kind };
  const { waiting, failed, oldest_due_at, lane } = await server.call('showPushHealth', { params });
  return { ...setting, health: { waiting, failed, oldest_due_at, lane } };
}

/** A list shows no secrets that a customer may have put into a query. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '?***');

const show: Command<Named, WithHealth> = {
  name: 'push-setting show',
  summary: 'Show a push setting, what waits and what failed',
  options: named,
  prepare: nameOf,
  async run(application, { organizationId, kind }) {
    const setting = await application.messaging.pushSettings.show(organizationId, kind);
    return { ...setting, health: (await readHealth(application, organizationId)).get(kind) ?? null };
  },
  async remote(server, { organizationId, kind }) {
    const params = { organization_id: organizationId, kind };
    return remoteHealth(server, standing(await server.call('showPushSetting', { params })));
  },
  print({ health, ...setting }) {
    const lane = health?.lane;
    return [
      facts(setting),
      '',
      textFacts({
        waiting: counted(health?.waiting),
        failed: counted(health?.failed),
        ...present('oldest due', health?.oldest_due_at ?? undefined),
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

function counted(count: number | undefined): string | number | null {
  return count !== undefined && count >= countingEnds ? `${countingEnds} or more` : (count ?? null);
}

function laneText(health: Health | null): string {
  return health?.lane?.state ?? 'idle';
}

const list: Command<{ readonly organizationId: string }, readonly WithHealth[]> = {
  name: 'push-setting list',
  summary: 'List the push settings of an organization and how they go',
  options: { organization: organizationOption },
  notes: 'The query of a URL is not listed, since it may hold a secret of the customer; "push-setting show" shows it.',
  prepare: (args) => ({ organizationId: args.required('organization') }),
  async run(application, { organizationId }) {
    const settings = await application.messaging.pushSettings.list(organizationId);
    const health = await readHealth(application, organizationId);
    return settings.map((setting) => ({
      ...setting,
      url: withoutQuery(setting.url),
      health: health.get(setting.kind) ?? null,
    }));
  },
  async remote(server, { organizationId }) {
    const settings = await server.list('listPushSettings', { params: { organization_id: organizationId } });
    const standing = settings.filter((setting) => isStanding(setting));
    return Promise.all(standing.map((setting) => remoteHealth(server, { ...setting, url: withoutQuery(setting.url) })));
  },
  print: (settings) =>
    textTable(
      settings,
      {
        KIND: ({ kind }) => kind,
        ENABLED: ({ enabled }) => enabled,
        URL: ({ url }) => url,
        SIGNED: ({ signed }) => signed,
        WAITING: ({ health }) => counted(health?.waiting),
        FAILED: ({ health }) => counted(health?.failed),
        LANE: ({ health }) => laneText(health),
      },
      'There is no push setting here. Make one: waxwing push-setting set',
    ),
};

const tryOut: Command<Named, TestPush> = {
  name: 'push-setting test',
  summary: 'Send one push with sample values, whether the switch is on or off',
  options: named,
  notes: 'The exit code is 1 when it was not answered 200. It is no message of anybody, and is not kept.',
  prepare: nameOf,
  run: (application, { organizationId, kind }, actor) =>
    application.messaging.pushSettings.test(actor, organizationId, kind),
  remote: (server, { organizationId, kind }) =>
    server.call('testPushSetting', { params: { organization_id: organizationId, kind } }),
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
