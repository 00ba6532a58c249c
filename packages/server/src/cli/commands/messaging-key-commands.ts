import type { Command } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem } from '../exchange/api-server.ts';
import { allowOf, onlyOfOption, organizationOption, ownerOption } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { find, organizationIfGiven, organizationOf } from './find-thing.ts';
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

type MessagingKey = ApiItem<'listMessagingKeys'>;

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

const kind: HolderKind<'MessagingKey'> = {
  noun: 'messaging-key',
  async find(server, args) {
    const params = await find(server, 'messaging key', args);
    return { of: 'MessagingKey', id: params.messaging_key_id, params };
  },
  facts,
  update: {
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
    changes: (args) => ({ ...holderChanges(args), ...permissionChanges(args) }),
  },
  use: { url: sendUrl, tryUrl },
  show: { summary: 'Show a messaging key and its tokens' },
  remove: { summary: 'Delete a messaging key and its tokens; its messages stay' },
};

export const messagingKeyCommands = holderCommands(kind, create, list);
