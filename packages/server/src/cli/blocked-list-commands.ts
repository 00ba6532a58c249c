import type { BlockedNumber, BlockedWord } from '../messages/manage-blocked-lists.ts';
import type { Arguments, Command, Option } from './command.ts';
import {
  afterNumber,
  isAfter,
  nextPage,
  numberPageOptions,
  phoneNumberOption,
  present,
  readLimit,
} from './option-values.ts';
import { plainText, textFacts, textTable } from './text-table.ts';

/** Of one list: an organization's, or the one that holds for all, whose name is empty. */
interface Owner {
  readonly organizationId: string;
}

const owner: Option = {
  type: 'string',
  value: 'ID',
  help: 'The organization whose list it is; left out, the list that holds for all',
};

const ownerOf = (args: Arguments): string => args.optional('organization') ?? '';

const addNumber: Command<Owner & { readonly number: string }, BlockedNumber> = {
  name: 'blocked-number add',
  summary: 'Never send to a number: messages to it end as REJECTED',
  options: { number: phoneNumberOption, organization: owner },
  prepare: (args) => ({ organizationId: ownerOf(args), number: args.required('number') }),
  run: (application, { organizationId, number }, actor) =>
    application.messaging.blockedLists.addNumber(actor, organizationId, number),
  remote: (server, { organizationId, number }) =>
    organizationId === ''
      ? server.call('addInstanceBlockedNumber', { body: { number } })
      : server.call('addBlockedNumber', { params: { organization_id: organizationId }, body: { number } }),
  print: ({ number, created_at }) => textFacts({ number, since: created_at }),
};

const listNumbers: Command<Owner & { readonly after?: string; readonly limit: number }, readonly BlockedNumber[]> = {
  name: 'blocked-number list',
  summary: 'List the numbers that nothing is sent to',
  options: { organization: owner, ...numberPageOptions },
  prepare: (args) => ({
    organizationId: ownerOf(args),
    limit: readLimit(args, 1000),
    ...present('after', args.optional('after')),
  }),
  run: (application, { organizationId, ...page }) =>
    application.messaging.blockedLists.listNumbers(organizationId, page),
  remote(server, { organizationId, after, limit }) {
    const part = { limit, ...isAfter('number', after) };
    return organizationId === ''
      ? server.list('listInstanceBlockedNumbers', {}, part)
      : server.list('listBlockedNumbers', { params: { organization_id: organizationId } }, part);
  },
  print: (numbers, args) =>
    textTable(
      numbers,
      { NUMBER: ({ number }) => number, SINCE: ({ created_at }) => created_at },
      'No number is blocked here.',
    ) + nextPage(numbers, readLimit(args, 1000), afterNumber),
};

const removeNumber: Command<Owner & { readonly number: string }, { readonly number: string }> = {
  name: 'blocked-number remove',
  summary: 'Send to a blocked number again',
  options: { number: phoneNumberOption, organization: owner },
  prepare: (args) => ({ organizationId: ownerOf(args), number: args.required('number') }),
  run: (application, { organizationId, number }, actor) =>
    application.messaging.blockedLists.removeNumber(actor, organizationId, number),
  async remote(server, { organizationId, number }) {
    const body = { number };
    if (organizationId === '') await server.call('removeInstanceBlockedNumber', { body });
    else await server.call('removeBlockedNumber', { params: { organization_id: organizationId }, body });
    return { number };
  },
  print: ({ number }) => `${number} is blocked no more.`,
};

const blockedWord = {
  type: 'string',
  required: true,
  value: 'W',
  help: 'A word or phrase, found whatever its case and width',
} as const satisfies Option;

const addWord: Command<Owner & { readonly word: string }, BlockedWord> = {
  name: 'blocked-word add',
  summary: 'Never send a text that holds a word: such messages end as REJECTED',
  options: { word: blockedWord, organization: owner },
  prepare: (args) => ({ organizationId: ownerOf(args), word: args.required('word') }),
  run: (application, { organizationId, word }, actor) =>
    application.messaging.blockedLists.addWord(actor, organizationId, word),
  remote: (server, { organizationId, word }) =>
    organizationId === ''
      ? server.call('addInstanceBlockedWord', { body: { word } })
      : server.call('addBlockedWord', { params: { organization_id: organizationId }, body: { word } }),
  print: ({ word, created_at }) => textFacts({ word, since: created_at }),
};

const listWords: Command<Owner, readonly BlockedWord[]> = {
  name: 'blocked-word list',
  summary: 'List the words that are never sent',
  options: { organization: owner },
  prepare: (args) => ({ organizationId: ownerOf(args) }),
  run: (application, { organizationId }) => application.messaging.blockedLists.listWords(organizationId),
  remote: (server, { organizationId }) =>
    organizationId === ''
      ? server.list('listInstanceBlockedWords', {})
      : server.list('listBlockedWords', { params: { organization_id: organizationId } }),
  print: (words) =>
    textTable(words, { WORD: ({ word }) => word, SINCE: ({ created_at }) => created_at }, 'No word is blocked here.'),
};

const removeWord: Command<Owner & { readonly word: string }, { readonly word: string }> = {
  name: 'blocked-word remove',
  summary: 'Send texts with a blocked word again',
  options: { word: blockedWord, organization: owner },
  prepare: (args) => ({ organizationId: ownerOf(args), word: args.required('word') }),
  run: (application, { organizationId, word }, actor) =>
    application.messaging.blockedLists.removeWord(actor, organizationId, word),
  async remote(server, { organizationId, word }) {
    const body = { word };
    if (organizationId === '') await server.call('removeInstanceBlockedWord', { body });
    else await server.call('removeBlockedWord', { params: { organization_id: organizationId }, body });
    return { word };
  },
  print: ({ word }) => `"${plainText(word)}" is blocked no more.`,
};

export const blockedListCommands: readonly Command[] = [
  addNumber,
  listNumbers,
  removeNumber,
  addWord,
  listWords,
  removeWord,
];
