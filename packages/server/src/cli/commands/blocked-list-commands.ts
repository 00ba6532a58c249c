import type { Command, Option } from '../command.ts';
import type { ApiItem } from '../exchange/api-server.ts';
import { byPhoneNumber } from '../list-pages.ts';
import { phoneNumberOption } from '../option-values.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { instanceOrOrganization } from './find-thing.ts';

const owner: Option = {
  type: 'string',
  value: 'ID',
  help: 'The organization whose list it is; left out, the list that holds for all',
};

type BlockedNumber = ApiItem<'listBlockedNumbers'>;

const addNumber: Command<BlockedNumber> = {
  name: 'blocked-number add',
  summary: 'Never send to a number: messages to it end as REJECTED',
  options: { number: phoneNumberOption, organization: owner },
  async call(server, args) {
    const body = { number: args.required('number') };
    const { scope, params } = await instanceOrOrganization(server, args);
    return server.call(`add${scope}BlockedNumber`, { params, body });
  },
  print: ({ number, created_at }) => textFacts({ number, since: created_at }),
};

const listNumbers: Command<readonly BlockedNumber[]> = {
  name: 'blocked-number list',
  summary: 'List blocked numbers',
  options: { organization: owner, ...byPhoneNumber.options },
  async call(server, args) {
    const part = byPhoneNumber.part(args);
    const { scope, params } = await instanceOrOrganization(server, args);
    return server.list(`list${scope}BlockedNumbers`, { params }, part);
  },
  print: (numbers, args) =>
    textTable(
      numbers,
      { NUMBER: ({ number }) => number, SINCE: ({ created_at }) => created_at },
      'No number is blocked here.',
    ) + byPhoneNumber.next(numbers, args),
};

const removeNumber: Command<{ readonly number: string }> = {
  name: 'blocked-number remove',
  summary: 'Send to a blocked number again',
  options: { number: phoneNumberOption, organization: owner },
  async call(server, args) {
    const body = { number: args.required('number') };
    const { scope, params } = await instanceOrOrganization(server, args);
    await server.call(`remove${scope}BlockedNumber`, { params, body });
    return body;
  },
  print: ({ number }) => `${number} is blocked no more.`,
};

const blockedWord = {
  type: 'string',
  required: true,
  value: 'W',
  help: 'A word or phrase, found whatever its case and width',
} as const satisfies Option;

type BlockedWord = ApiItem<'listBlockedWords'>;

const addWord: Command<BlockedWord> = {
  name: 'blocked-word add',
  summary: 'Never send a text that holds a word: such messages end as REJECTED',
  options: { word: blockedWord, organization: owner },
  async call(server, args) {
    const body = { word: args.required('word') };
    const { scope, params } = await instanceOrOrganization(server, args);
    return server.call(`add${scope}BlockedWord`, { params, body });
  },
  print: ({ word, created_at }) => textFacts({ word, since: created_at }),
};

const listWords: Command<readonly BlockedWord[]> = {
  name: 'blocked-word list',
  summary: 'List blocked words',
  options: { organization: owner },
  async call(server, args) {
    const { scope, params } = await instanceOrOrganization(server, args);
    return server.list(`list${scope}BlockedWords`, { params });
  },
  print: (words) =>
    textTable(words, { WORD: ({ word }) => word, SINCE: ({ created_at }) => created_at }, 'No word is blocked here.'),
};

const removeWord: Command<{ readonly word: string }> = {
  name: 'blocked-word remove',
  summary: 'Send texts with a blocked word again',
  options: { word: blockedWord, organization: owner },
  async call(server, args) {
    const body = { word: args.required('word') };
    const { scope, params } = await instanceOrOrganization(server, args);
    await server.call(`remove${scope}BlockedWord`, { params, body });
    return body;
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
