import type { MessagingKey, MessagingKeyDetails } from '../messages/messaging-key.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Arguments, Command, Positional } from './command.ts';
import { yesOption } from './confirmation.ts';
import { admittanceQuestion, changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import { allowOf, organizationOption, present, remoteOrganization } from './option-values.ts';
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

const keyId: Positional = { name: 'ID', help: 'The messaging key, as "messaging-key list" shows it' };

const allow = allowOption('send');

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
    yes: yesOption,
  },
  prepare: (args) => ({
    organizationId: args.required('organization'),
    name: args.required('name'),
    allow: allowOf(args) ?? [],
  }),
  question: async ({ name, allow }) => admittanceQuestion(name, allow),
  async run(application, request, actor) {
    const { messagingKey, token } = await application.messaging.keys.create(actor, request);
    return { ...messagingKey, token: token.reveal(), url: sendUrl(application.settings.baseUrl) };
  },
  async remote(server, { organizationId, ...body }) {
    const key = await server.call('createMessagingKey', { params: { organization_id: organizationId }, body });
    return { ...key, url: sendUrl(server.url) };
  },
  print: ({ token, url, ...key }) => [facts(key), '', ...tokenLines('The token', token, tryUrl(url))].join('\n'),
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
    allow: allowText(key.allow),
    'query token': key.query_token,
    expires: key.expires_at ?? 'never',
  });
}

function remoteId(id: string, args: Arguments) {
  return { organization_id: args.optional('organization'), messaging_key_id: id };
}

type UpdateInput = { readonly id: string } & HolderChanges & PermissionChanges;

const update: Command<UpdateInput, MessagingKey> = {
  name: 'messaging-key update',
  summary: 'Change a messaging key; true from the next request on',
  positionals: [keyId],
  options: {
    ...holderOptions,
    permit: { type: 'boolean', help: 'Let its token send' },
    forbid: { type: 'boolean', help: 'Know its token, but let it do nothing' },
    allow,
    'query-token': queryTokenOption,
    organization: remoteOrganization,
    yes: yesOption,
  },
  prepare(args) {
    const changes = { ...holderChanges(args), ...permissionChanges(args) };
    return { id: args.positional('ID'), ...requireChanges(changes, this) };
  },
  question: async ({ id, ...changes }, lookUp) =>
    changeQuestion(await lookUp(show, { id }), changes, systemClock.now()),
  run: (application, { id, ...changes }, actor) => application.messaging.keys.update(actor, id, changes),
  remote: (server, { id, ...changes }, args) =>
    server.call('updateMessagingKey', {
      params: remoteId(id, args),
      readBy: 'showMessagingKey',
      body: { ...holderBody(changes), ...permissionBody(changes) },
    }),
  print: facts,
};

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<Rotation, Rotated> = {
  name: 'messaging-key rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [keyId],
  options: {
    overlap: overlapOption,
    organization: remoteOrganization,
    yes: yesOption,
  },
  prepare: readRotation,
  question: async (rotation, lookUp) => rotationQuestion((await lookUp(show, { id: rotation.id })).name, rotation),
  async run(application, { id, overlapMs }, actor) {
    const { messagingKey, token, formerValidUntil } = await application.messaging.keys.rotate(actor, id, overlapMs);
    return {
      ...messagingKey,
      token: token.reveal(),
      url: sendUrl(application.settings.baseUrl),
      former_valid_until: formerValidUntil,
    };
  },
  async remote(server, rotation, args) {
    const parts = { params: remoteId(rotation.id, args), body: overlapBody(rotation) };
    return { url: sendUrl(server.url), ...(await server.call('rotateMessagingKey', parts)) };
  },
  print: (rotated) => rotatedText(rotated, tryUrl(rotated.url)),
};

export const listMessagingKeys: Command<{ readonly organizationId?: string }, readonly MessagingKey[]> = {
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
        ALLOW: ({ allow }) => allowCell(allow),
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
  print: ({ tokens, ...key }) => [facts(key), '', tokenTable(tokens)].join('\n'),
};

const remove: Command<{ readonly id: string }, { readonly id: string }> = {
  name: 'messaging-key delete',
  summary: 'Delete a messaging key and its tokens; what it sent stays',
  positionals: [keyId],
  options: { organization: remoteOrganization, yes: yesOption },
  prepare: (args) => ({ id: args.positional('ID') }),
  question: async ({ id }, lookUp) => deletionQuestion((await lookUp(show, { id })).name),
  run: (application, { id }, actor) => application.messaging.keys.delete(actor, id),
  async remote(server, { id }, args) {
    await server.call('deleteMessagingKey', { params: remoteId(id, args) });
    return { id };
  },
  print: ({ id }) => `Messaging key ${id} is deleted; its tokens are refused from now on.`,
};

export const messagingKeyCommands: readonly Command[] = [create, update, rotate, listMessagingKeys, show, remove];
