import { type Arguments, type Command, type Option, type Place, type Positional, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiServer, Part } from '../exchange/api-server.ts';
import { either, listed, oneOf, onlyOfOption, ownerOption, present } from '../option-values.ts';
import { readSecret } from '../person-files.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { organizationIfGiven, pick } from './find-thing.ts';

type AlertChannel = ApiItem<'listAlertChannels'>;

const channelId: Positional = { name: 'ID', help: 'The alert channel, as "alert-channel list" shows it' };
const kinds = ['email', 'webhook', 'wecom', 'dingtalk', 'feishu'] as const;

/** Where it sends. */
const destination = {
  to: { type: 'string', multiple: true, value: 'EMAIL[,EMAIL]', help: 'The recipients of emails' },
  url: { type: 'string', value: 'URL', help: 'The public address of a webhook, or the one that a robot shows' },
  'url-file': {
    type: 'string',
    value: 'FILE',
    help: 'The file of the URL, instead of --url: the URL of a robot is a secret',
  },
  'secret-file': {
    type: 'string',
    value: 'FILE',
    help: 'The file of the secret that signs what a webhook, or a robot of DingTalk or Feishu, gets',
  },
} as const satisfies Record<string, Option>;

function destinationOf(args: Arguments, { terminal }: Place) {
  if (args.flag('url') && args.flag('url-file')) throw new Usage('Give --url or --url-file, not both.');
  const read = (option: string) => readSecret(option, args.optional(option), terminal.folder);
  const to = listed(args, 'to');
  return {
    ...present('to', to.length === 0 ? undefined : [...to]),
    ...present('url', args.optional('url') ?? read('url-file')),
    ...present('secret', read('secret-file')),
  };
}

function facts(channel: AlertChannel): string {
  return textFacts({
    id: channel.id,
    name: channel.name,
    organization: channel.organization_id ?? 'the instance',
    kind: channel.kind,
    enabled: channel.enabled,
    to: placeOf(channel),
    signed: channel.signed,
    'last sent': channel.last_sent_at ?? 'never',
    ...present('last error', channel.last_error ?? undefined),
  });
}

const placeOf = ({ host, to }: AlertChannel): string => host ?? to.join(', ');

const create: Command<ApiAnswer<'createAlertChannel'>> = {
  name: 'alert-channel create',
  summary: 'Create an alert channel: where alerts of an organization or of the instance are sent',
  options: {
    organization: { type: 'string', value: 'ID', help: 'Make it a channel of this organization' },
    instance: { type: 'boolean', help: 'Make it a channel of the instance' },
    kind: { type: 'string', required: true, value: 'KIND', help: `One of ${kinds.join(', ')}` },
    name: { type: 'string', required: true, value: 'N', help: 'A name for it' },
    ...destination,
    disabled: { type: 'boolean', help: 'Send nothing to it yet' },
  },
  notes:
    'A webhook without --secret-file gets a generated secret, which is shown once. The alerts of an organization without\n' +
    'an enabled channel go to those of the instance. "alert-channel test" tells whether it works.',
  async call(server, args, place) {
    const kind = oneOf('kind', args.required('kind'), kinds);
    requireOwner(args, this.name);
    const body = {
      kind,
      name: args.required('name'),
      ...destinationOf(args, place),
      ...(args.flag('disabled') && { enabled: false }),
    };
    requireDestination(body, this.name);
    const organization_id = await organizationIfGiven(server, args);
    return organization_id === undefined
      ? server.call('createInstanceAlertChannel', { body })
      : server.call('createAlertChannel', { params: { organization_id }, body });
  },
  print: ({ secret, ...channel }) =>
    [facts(channel), ...(secret === null ? [] : ['', 'The secret, shown this once:', `  ${secret}`])].join('\n'),
};

/** Refuses what this kind of channel does not have. */
function requireFit(
  kind: AlertChannel['kind'],
  { to, url, secret }: { to?: readonly string[]; url?: string; secret?: string | null },
  command: string,
): void {
  if (kind === 'email' && (url !== undefined || secret !== undefined)) {
    throw new Usage('An email channel has recipients (--to), and no URL or secret.', command);
  }
  if (kind !== 'email' && to !== undefined) throw new Usage('Only an email channel has --to.', command);
  if (kind === 'wecom' && secret !== undefined) {
    throw new Usage('A robot of WeCom has no secret: its key is in the URL.', command);
  }
}

function requireOwner(args: Arguments, command: string): void {
  if (args.flag('organization') !== args.flag('instance')) return;
  throw new Usage('Give either --organization ID or --instance.', command);
}

function requireDestination(
  body: { kind: AlertChannel['kind']; to?: readonly string[]; url?: string; secret?: string },
  command: string,
): void {
  const { kind, to, url } = body;
  requireFit(kind, body, command);
  const isEmail = kind === 'email';
  if (isEmail && to === undefined) throw new Usage('An email channel needs --to.', command);
  if (!isEmail && url === undefined) throw new Usage('This kind of channel needs --url or --url-file.', command);
}

const update: Command<AlertChannel> = {
  name: 'alert-channel update',
  summary: 'Change an alert channel; takes effect on the next attempt',
  positionals: [channelId],
  options: {
    name: { type: 'string', value: 'N', help: 'Its new name' },
    ...destination,
    'no-secret': { type: 'boolean', help: 'The robot does not check signatures any more' },
    enable: { type: 'boolean', help: 'Send alerts to it again' },
    disable: { type: 'boolean', help: 'Send nothing to it; alerts that wait for it are dropped' },
    organization: ownerOption,
  },
  async call(server, args, place) {
    if (args.flag('no-secret') && args.flag('secret-file')) {
      throw new Usage('Give --secret-file or --no-secret, not both.', this.name);
    }
    const body = {
      ...present('name', args.optional('name')),
      ...present('enabled', either(args, 'enable', 'disable')),
      ...destinationOf(args, place),
      ...(args.flag('no-secret') && { secret: null }),
    };
    if (Object.keys(body).length === 0) throw new Usage('Nothing to change was named.', this.name);
    const channel = await findChannel(server, args);
    requireFit(channel.kind, body, this.name);
    return change(server, channel, body);
  },
  print: facts,
};

function change(
  server: ApiServer,
  { id, organization_id }: AlertChannel,
  body: NonNullable<Parameters<typeof server.call<'updateAlertChannel'>>[1]>['body'] & object,
): Promise<AlertChannel> {
  const params = { alert_channel_id: id };
  return organization_id === null
    ? server.call('updateInstanceAlertChannel', { params, body, readBy: 'showInstanceAlertChannel' })
    : server.call('updateAlertChannel', {
        params: { organization_id, ...params },
        body,
        readBy: 'showAlertChannel',
      });
}

function switching(verb: 'enable' | 'disable', summary: string): Command<AlertChannel> {
  return {
    name: `alert-channel ${verb}`,
    summary,
    positionals: [channelId],
    options: { organization: ownerOption },
    call: async (server, args) => change(server, await findChannel(server, args), { enabled: verb === 'enable' }),
    print: facts,
  };
}

const list: Command<readonly AlertChannel[]> = {
  name: 'alert-channel list',
  summary: 'List alert channels, oldest first',
  options: { organization: onlyOfOption, instance: { type: 'boolean', help: 'Only those of the instance' } },
  async call(server, args) {
    if (args.flag('organization') && args.flag('instance')) {
      throw new Usage('Give --organization or --instance, not both.', this.name);
    }
    if (args.flag('instance')) return server.list('listInstanceAlertChannels');
    return listChannels(server, await organizationIfGiven(server, args));
  },
  print: (channels) =>
    textTable(
      channels,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ORGANIZATION: ({ organization_id }) => organization_id ?? '(instance)',
        KIND: ({ kind }) => kind,
        ENABLED: ({ enabled }) => enabled,
        TO: placeOf,
        'LAST SENT': ({ last_sent_at }) => last_sent_at ?? 'never',
        'LAST ERROR': ({ last_error }) => last_error ?? '',
      },
      'There is no alert channel here. Make one: waxwing alert-channel create',
    ),
};

const show: Command<AlertChannel> = {
  name: 'alert-channel show',
  summary: 'Show an alert channel',
  positionals: [channelId],
  options: { organization: ownerOption },
  call: (server, args) => findChannel(server, args),
  print: facts,
};

/** @param organization_id undefined: of all that one may see, and of the instance */
function listChannels(
  server: ApiServer,
  organization_id: string | undefined,
  part?: Part,
): Promise<readonly AlertChannel[]> {
  return server.list('listAlertChannels', { params: { organization_id } }, part);
}

/** Of the path to a channel its owner is a part: the instance has one of its own. */
async function findChannel(server: ApiServer, args: Arguments): Promise<AlertChannel> {
  const organization = await organizationIfGiven(server, args);
  return pick(args.positional('ID'), 'alert channel', ({ search: _all, ...part }) =>
    listChannels(server, organization, part),
  );
}

const remove: Command<{ readonly id: string }> = {
  name: 'alert-channel delete',
  summary: 'Delete an alert channel; what was sent stays listed',
  positionals: [channelId],
  options: { organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const { id, organization_id, name } = await findChannel(server, args);
    const params = { alert_channel_id: id };
    await confirm(() => ({
      consequence: `Nothing is sent to ${name} any more, and its URL and secret are lost.`,
      name,
    }));
    await (organization_id === null
      ? server.call('deleteInstanceAlertChannel', { params })
      : server.call('deleteAlertChannel', { params: { organization_id, ...params } }));
    return { id };
  },
  print: ({ id }) => `Alert channel ${id} is deleted.`,
};

const tryOut: Command<ApiAnswer<'testAlertChannel'> & { readonly id: string }> = {
  name: 'alert-channel test',
  summary: 'Send a test to an alert channel, whether it is enabled or not',
  positionals: [channelId],
  options: { organization: ownerOption },
  notes: 'If the receiver does not accept it, the exit code is 1 and its own words are printed.',
  async call(server, args) {
    const { id, organization_id } = await findChannel(server, args);
    const params = { alert_channel_id: id };
    const tested = await (organization_id === null
      ? server.call('testInstanceAlertChannel', { params })
      : server.call('testAlertChannel', { params: { organization_id, ...params } }));
    return { id, ...tested };
  },
  print: ({ sent, to, ms, error }) =>
    sent
      ? `${plainText(to)} accepted the test after ${ms} ms.`
      : `${plainText(to)} did not accept the test: ${plainText(error ?? '')}`,
  isFailure: ({ sent }) => !sent,
};

export const alertChannelCommands: readonly Command[] = [
  create,
  update,
  switching('enable', 'Send alerts to an alert channel again'),
  switching('disable', 'Send nothing to an alert channel; alerts that wait for it are dropped'),
  list,
  show,
  tryOut,
  remove,
];
