import { systemClock } from '../../runtime/clock.ts';
import type { Command, Positional } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem } from '../exchange/api-server.ts';
import { allowOf, onlyOfOption, organizationOption, ownerOption } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { find, organizationIfGiven, organizationOf } from './find-thing.ts';
import { admittanceQuestion, changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import { verbsOf } from './holder-verbs.ts';
import {
  allowOption,
  holderChanges,
  holderOptions,
  overlapOption,
  permissionChanges,
  permissionNote,
  queryTokenOption,
  readRotation,
  requireChanges,
} from './token-holder-options.ts';
import { allowCell, allowText, rotatedText, tokenLines, tokenTable } from './token-text.ts';

type MessagingKey = ApiItem<'listMessagingKeys'>;

const keyId: Positional = { name: 'ID', help: 'The messaging key, as "messaging-key list" shows it' };

const allow = allowOption('send');

const create: Command<ApiAnswer<'createMessagingKey'> & { readonly url: string }> = {
  name: 'messaging-key create',
  summary: 'Let a system of an organization send messages: makes a token, which is shown once',
  options: {
    organization: organizationOption,
    name: { type: 'string', required: true, value: 'N', help: 'A name for the system that sends' },
    allow: { ...allow, required: true },
    yes: yesOption,
  },
  async call(server, args, { confirm }) {
    const body = { name: args.required('name'), allow: allowOf(args) ?? [] };
    await confirm(() => admittanceQuestion(body.name, body.allow));
    const params = { organization_id: await organizationOf(server, args) };
    const key = await server.call('createMessagingKey', { params, body });
    return { ...key, url: sendUrl(server.baseUrl) };
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

const update: Command<MessagingKey> = {
  name: 'messaging-key update',
  summary: 'Change a messaging key; takes effect on the next request',
  positionals: [keyId],
  options: {
    ...holderOptions,
    permit: { type: 'boolean', help: 'Let its token send' },
    forbid: { type: 'boolean', help: 'Know its token, but let it do nothing' },
    allow,
    'query-token': queryTokenOption,
    organization: ownerOption,
    yes: yesOption,
  },
  notes: permissionNote,
  async call(server, args, { confirm }) {
    const body = requireChanges({ ...holderChanges(args), ...permissionChanges(args) }, this);
    const params = await find(server, 'messaging key', args);
    await confirm(async () =>
      changeQuestion(await server.call('showMessagingKey', { params }), body, systemClock.now()),
    );
    return server.call('updateMessagingKey', { params, body, readBy: 'showMessagingKey' });
  },
  print: facts,
};

const rotate: Command<ApiAnswer<'rotateMessagingKey'> & { readonly url: string }> = {
  name: 'messaging-key rotate',
  summary: 'Make a new token, shown once; the former one stays valid for a while',
  positionals: [keyId],
  options: { overlap: overlapOption, organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const body = readRotation(args);
    const params = await find(server, 'messaging key', args);
    await confirm(async () => rotationQuestion((await server.call('showMessagingKey', { params })).name, body));
    const rotated = await server.call('rotateMessagingKey', { params, body });
    return { ...rotated, url: sendUrl(server.baseUrl) };
  },
  print: (rotated) => rotatedText(rotated, tryUrl(rotated.url)),
};

const list: Command<readonly MessagingKey[]> = {
  name: 'messaging-key list',
  summary: 'List messaging keys, oldest first',
  options: { organization: onlyOfOption },
  call: async (server, args) =>
    server.list('listMessagingKeys', { params: { organization_id: await organizationIfGiven(server, args) } }),
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

const show: Command<ApiAnswer<'showMessagingKey'>> = {
  name: 'messaging-key show',
  summary: 'Show a messaging key and its tokens',
  positionals: [keyId],
  options: { organization: ownerOption },
  call: async (server, args) => server.call('showMessagingKey', { params: await find(server, 'messaging key', args) }),
  print: ({ tokens, ...key }) => [facts(key), '', tokenTable(tokens)].join('\n'),
};

const remove: Command<{ readonly id: string }> = {
  name: 'messaging-key delete',
  summary: 'Delete a messaging key and its tokens; its messages stay',
  positionals: [keyId],
  options: { organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const params = await find(server, 'messaging key', args);
    await confirm(async () => deletionQuestion((await server.call('showMessagingKey', { params })).name));
    await server.call('deleteMessagingKey', { params });
    return { id: params.messaging_key_id };
  },
  print: ({ id }) => `Messaging key ${id} is deleted; its tokens are refused from now on.`,
};

export const messagingKeyCommands: readonly Command[] = [
  create,
  update,
  ...verbsOf(update),
  rotate,
  list,
  show,
  remove,
];
