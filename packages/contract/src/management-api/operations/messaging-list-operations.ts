import Type, { type TObject, type TProperties } from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, PhoneNumber, pageOf, pageQuery, Time } from '../shared-schemas.ts';

const operation = operationsOf('messaging');

const StoredNumber = Type.String({ description: 'International with +.' });
export const OptOut = Type.Object(
  { number: StoredNumber, source: Type.Enum(['reply', 'manual']), created_at: Time },
  { $id: 'OptOut', ...closed, description: 'A phone that wants no more messages of the organization.' },
);
export type OptOut = Type.Static<typeof OptOut>;
export const BlockedNumber = Type.Object(
  { number: StoredNumber, created_at: Time },
  { $id: 'BlockedNumber', ...closed },
);
export type BlockedNumber = Type.Static<typeof BlockedNumber>;
export const BlockedWord = Type.Object({ word: Type.String(), created_at: Time }, { $id: 'BlockedWord', ...closed });
export type BlockedWord = Type.Static<typeof BlockedWord>;

const oneNumber = Type.Object({ number: PhoneNumber }, { $id: 'OneNumber', ...closed });
const oneWord = Type.Object(
  {
    word: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Found in any spelling: letter case, width and invisible characters make no difference. ' +
        'All spellings of a word are one entry, kept as first added.',
    }),
  },
  { $id: 'OneWord', ...closed },
);

/**
 * A list and its three operations. Removal names the entry in the body: a phone number in a path would end up in logs.
 */
function listOperations<
  const Path extends string,
  const Item extends TObject<TProperties>,
  const Key extends TObject,
  const Action extends string,
  const List extends string,
  const Add extends string,
  const Remove extends string,
  const Filters extends TProperties,
>(kind: {
  readonly names: readonly [list: List, add: Add, remove: Remove];
  readonly path: Path;
  readonly of: string;
  readonly what: string;
  readonly action: Action;
  readonly item: Item;
  readonly key: Key;
  readonly order: string;
  readonly filters: Filters;
}) {
  const { names, path, what, of, action, item, key, filters } = kind;
  return {
    list: operation({
      id: names[0],
      method: 'GET',
      path,
      summary: `List ${what} ${of}`,
      description: `By ${kind.order}.`,
      action: `${action}.read`,
      query: pageQuery(filters),
      answer: { status: 200, schema: pageOf(item) },
      paged: true,
    }),
    add: operation({
      id: names[1],
      method: 'POST',
      path,
      summary: `Add to ${what} ${of}`,
      description: 'Takes effect on the next request. Existing entries stay as they are.',
      action: `${action}.add`,
      body: key,
      answer: { status: 200, schema: item },
      problems: ['conflict'],
    }),
    remove: operation({
      id: names[2],
      method: 'POST',
      path: `${path}/remove`,
      summary: `Remove from ${what} ${of}`,
      action: `${action}.remove`,
      body: key,
      answer: { status: 204 },
      problems: ['not_found'],
    }),
  } as const;
}

const ofOrganization = { of: 'of an organization' } as const;
const ofInstance = { of: 'of all organizations' } as const;
const byNumber = { number: Type.Optional(PhoneNumber) };
const numbers = {
  what: 'the blocked numbers',
  item: BlockedNumber,
  key: oneNumber,
  order: 'number',
  filters: byNumber,
} as const;
const words = { what: 'the blocked words', item: BlockedWord, key: oneWord, order: 'word', filters: {} } as const;

export const optOuts = listOperations({
  ...ofOrganization,
  names: ['listOptOuts', 'addOptOut', 'removeOptOut'],
  path: '/organizations/{organization_id}/opt-outs',
  what: 'the opt-outs',
  action: 'opt-out',
  item: OptOut,
  key: oneNumber,
  order: 'number',
  filters: byNumber,
});

export const blockedNumbers = listOperations({
  ...ofOrganization,
  ...numbers,
  names: ['listBlockedNumbers', 'addBlockedNumber', 'removeBlockedNumber'],
  path: '/organizations/{organization_id}/blocked-numbers',
  action: 'blocked-number',
});

export const blockedWords = listOperations({
  ...ofOrganization,
  ...words,
  names: ['listBlockedWords', 'addBlockedWord', 'removeBlockedWord'],
  path: '/organizations/{organization_id}/blocked-words',
  action: 'blocked-word',
});

export const instanceBlockedNumbers = listOperations({
  ...ofInstance,
  ...numbers,
  names: ['listInstanceBlockedNumbers', 'addInstanceBlockedNumber', 'removeInstanceBlockedNumber'],
  path: '/instance/blocked-numbers',
  action: 'instance.blocked-number',
});

export const instanceBlockedWords = listOperations({
  ...ofInstance,
  ...words,
  names: ['listInstanceBlockedWords', 'addInstanceBlockedWord', 'removeInstanceBlockedWord'],
  path: '/instance/blocked-words',
  action: 'instance.blocked-word',
});

export const messagingListOperations = [
  ...Object.values(optOuts),
  ...Object.values(blockedNumbers),
  ...Object.values(blockedWords),
  ...Object.values(instanceBlockedNumbers),
  ...Object.values(instanceBlockedWords),
] as const;
