import type { MessagingKey, MessagingKeyDetails } from '../messages/messaging-key.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from './command.ts';
import {
  allowOf,
  either,
  expiry,
  mapped,
  momentText,
  onOff,
  organizationOption,
  overlapBody,
  present,
  remoteOrganization,
  span,
} from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';
import { tokenLines } from './token-text.ts';

const keyId: Positional = { name: 'ID', help: 'The messaging key, as "messaging-key list" shows it' };

const allow: Option = {
  type: 'string',
  multiple: true,
  value: 'CIDR[,CIDR]',
  help: 'Addresses and networks that may send, such as 203.0.113.7,2001:db8::/32; "none" admits nobody',
};

/** The token is in the clear: shown once, here. */
type WithToken = MessagingKey & { readonly token: string; readonly url: string };

interface NewKey {
  readonly organizationId: string;
  readonly name: string;
  readonly allow: readonly string[];
}

const create: Command<NewKey, WithToken> = {
  name: 'messaging-key create',
  summary: 'Let a system of an organization send messages: makes a token, which is shown once',
  options: {
    organization: organizationOption,
    name: { type: 'string', required: true, value: 'N', help: 'A name for the system that sends' },
    allow: { ...allow, required: true },
  },
  prepare: (args) => ({
    organizationId: args.required('organization'),
    name: args.required('name'),
    allow: allowOf(args) ?? [],
  }),
  async run(application, request, actor) {
    const { messagingKey, token } = await application.messaging.keys.create(actor, request);
    return { ...messagingKey, token: token.reveal(), url: sendUrl(application.settings.baseUrl) };
  },
  async remote(server, { organizationId, ...body }) {
    const key = await server.call('createMessagingKey', { params: { organization_id: organizationId }, body });
    return { ...key, url: sendUrl(server.url) };
  },
  print: ({ token, url, ...key }) => [facts(key), '', ...tokenLines('The token', tryUrl(url), token)].join('\n'),
};

const sendUrl = (baseUrl: string): string => `${baseUrl}/api/messages`;

/** Reads, so that trying a token sends nothing to anybody. */
const tryUrl = (url: string): string => `${url}/events`;

function facts(key: MessagingKey): string {
  return textFacts({
    id: key.id,
    name: key.name,
    organization: key.organization_id,
    enabled: key.enabled,
    permitted: key.permitted,
    allow: key.allow.join(', ') || 'nobody',
    'query token': key.query_token,
    expires: key.expires_at ?? 'never',
  });
}

function remoteId(id: string, args: Arguments) {
  return { organization_id: args.optional('organization'), messaging_key_id: id };
}

interface UpdateInput {
  readonly id: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly permitted?: boolean;
  readonly queryToken?: boolean;
  readonly allow?: readonly string[];
  readonly expiresAt?: number | null;
}

const update: Command<UpdateInput, MessagingKey> = {
  name: 'messaging-key update',
  summary: 'Change a messaging key; true from the next request on',
  positionals: [keyId],
  options: {
    enable: { type: 'boolean', help: 'Accept its token' },
    disable: { type: 'boolean', help: 'Refuse its token as invalid' },
    permit: { type: 'boolean', help: 'Let its token send' },
    forbid: { type: 'boolean', help: 'Know its token, but let it do nothing' },
    allow,
    'query-token': { type: 'string', value: 'on|off', help: 'Whether the token may come as key= in the URL' },
    expires: {
      type: 'string',
      value: 'DATE|never',
      help: 'The last day (in UTC) or the moment until which it is good: 2030-01-31, 2030-01-31T12:00:00Z',
    },
    rename: { type: 'string', value: 'N', help: 'Its new name' },
    organization: remoteOrganization,
  },
  prepare(args) {
    const input: UpdateInput = {
      id: args.positional('ID'),
      ...present('name', args.optional('rename')),
      ...present('enabled', either(args, 'enable', 'disable')),
      ...present('permitted', either(args, 'permit', 'forbid')),
      ...present('queryToken', mapped(args, 'query-token', onOff)),
      ...present('allow', allowOf(args)),
      ...present('expiresAt', mapped(args, 'expires', expiry)),
    };
    if (Object.keys(input).length === 1) throw new Usage('Nothing to change was named.', this.name);
    return input;
  },
  run: (application, { id, ...changes }, actor) => application.messaging.keys.update(actor, id, changes),
  remote: (server, { id, ...changes }, args) =>
    server.call('updateMessagingKey', {
      params: remoteId(id, args),
      readBy: 'showMessagingKey',
      body: {
        ...present('name', changes.name),
        ...present('enabled', changes.enabled),
        ...present('permitted', changes.permitted),
        ...present('query_token', changes.queryToken),
        ...present('allow', changes.allow),
        ...present('expires_at', momentText(changes.expiresAt)),
      },
    }),
  print: facts,
};

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<{ readonly id: string; readonly overlapMs: number }, Rotated> = {
  name: 'messaging-key rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [keyId],
  options: {
    overlap: { type: 'string', value: 'SPAN', help: 'How long the former token stays valid: 24h (default), 30m, 0 …' },
    organization: remoteOrganization,
  },
  prepare: (args) => ({
    id: args.positional('ID'),
    overlapMs: span('overlap', args.optional('overlap') ?? '24h', '30d'),
  }),
  async run(application, { id, overlapMs }, actor) {
    const { messagingKey, token, formerValidUntil } = await application.messaging.keys.rotate(actor, id, overlapMs);
    return {
      ...messagingKey,
      token: token.reveal(),
      url: sendUrl(application.settings.baseUrl),
      former_valid_until: formerValidUntil,
    };
  },
  async remote(server, { id, overlapMs }, args) {
    const parts = { params: remoteId(id, args), body: overlapBody(overlapMs) };
    return { url: sendUrl(server.url), ...(await server.call('rotateMessagingKey', parts)) };
  },
  print: ({ id, token, url, former_valid_until }) =>
    [
      textFacts({ id, 'former token valid until': former_valid_until }),
      '',
      ...tokenLines('The new token', tryUrl(url), token),
    ].join('\n'),
};

const list: Command<{ readonly organizationId?: string }, readonly MessagingKey[]> = {
  name: 'messaging-key list',
  summary: 'List messaging keys, oldest first',
  options: { organization: { ...organizationOption, required: false, help: 'Only those of this organization' } },
  prepare: (args) => present('organizationId', args.optional('organization')),
  run: (application, { organizationId }) => application.messaging.keys.list(organizationId),
  remote: (server, { organizationId }) =>
    server.list('listMessagingKeys', { params: { organization_id: organizationId } }),
  print: (keys) =>
    textTable(
      keys,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ORGANIZATION: ({ organization_id }) => organization_id,
        ENABLED: ({ enabled }) => enabled,
        PERMITTED: ({ permitted }) => permitted,
        ALLOW: ({ allow }) =>
          allow.length > 3 ? `${allow.slice(0, 3)} +${allow.length - 3}` : allow.join(',') || 'nobody',
        EXPIRES: ({ expires_at }) => expires_at ?? 'never',
      },
      'There is no messaging key here. Make one: waxwing messaging-key create',
    ),
};

const show: Command<{ readonly id: string }, MessagingKeyDetails> = {
  name: 'messaging-key show',
  summary: 'Show a messaging key and its tokens',
  positionals: [keyId],
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }) => application.messaging.keys.show(id),
  remote: (server, { id }, args) => server.call('showMessagingKey', { params: remoteId(id, args) }),
  print: ({ tokens, ...key }) =>
    [
      facts(key),
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
    ].join('\n'),
};

const remove: Command<{ readonly id: string }, { readonly id: string }> = {
  name: 'messaging-key delete',
  summary: 'Delete a messaging key and its tokens; what it sent stays',
  positionals: [keyId],
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }, actor) => application.messaging.keys.delete(actor, id),
  async remote(server, { id }, args) {
    await server.call('deleteMessagingKey', { params: remoteId(id, args) });
    return { id };
  },
  print: ({ id }) => `Messaging key ${id} is deleted; its tokens are refused from now on.`,
};

export const messagingKeyCommands: readonly Command[] = [create, update, rotate, list, show, remove];
