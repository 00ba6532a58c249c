import { test } from 'node:test';
import type { Database } from '../database/connect.ts';
import { assertNoWaste, fillTable, type Questions, type Waste } from '../database/query-plan.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import {
  findAccountByEmail,
  findAccounts,
  findSuspended,
  listAccounts,
  listMembershipsOf,
  listOperators,
  listOrganizations,
  lockAndCountOwners,
  searchOrganizations,
} from './account-store.ts';
import { deleteChallengesOf, forgetChallenges, takeChallenge } from './challenge-store.ts';
import { deletePasskeys, findPasskeyByCredential, listPasskeys } from './factor-store.ts';
import { forgetGuesses, takeBackGuess } from './guess-store.ts';
import { deleteLinksOf, forgetLinks, listInvitations, takeLink } from './link-store.ts';
import { findManagementKeys, listManagementKeys } from './management-key-store.ts';
import {
  deleteOldestSessions,
  deleteSessions,
  deleteSessionsThatEnded,
  findSessionsByHash,
  forgetFamiliarDevices,
  isFamiliarDevice,
  listSessions,
  putFamiliarDevice,
} from './session-store.ts';
import { findSsoIdentity, listSsoIdentities } from './sso-store.ts';

const count = 20_000;
const organizations = 200;
const text = (prefix: string, n: number) => `${prefix}${String(n).padStart(8, '0')}`;
const organizationOf = (n: number) => text('o', n % organizations);
const account = text('a', 7);

async function fillAll(database: Database): Promise<void> {
  await fillTable(database, 'organization', count, (n) => ({
    ...{ id: text('o', n), name: text('name', n), created_at: n, suspended_at: null },
  }));
  await fillTable(database, 'account', count, (n) => ({
    ...{ id: text('a', n), email: text('mail', n), operator: n % 500 === 0 ? 1 : 0, operator_by_sso: 0 },
    ...{ password: 'x'.repeat(100), disabled_at: null, created_at: n, updated_at: n },
  }));
  await fillTable(database, 'membership', count, (n) => ({
    ...{ organization_id: organizationOf(n), account_id: text('a', n), role: 'viewer', by_sso: 0, created_at: n },
  }));
  await fillTable(database, 'session', count, (n) => ({
    ...{ id: text('s', n), hash: text('h', n), account_id: text('a', n), method: 'password', created_at: n },
    ...{ authenticated_at: n, seen_at: n, expires_at: n, address: '192.0.2.1', user_agent: 'x'.repeat(100) },
  }));
  await fillTable(database, 'one_time_link', count, (n) => ({
    ...{ id: text('l', n), hash: text('h', n), kind: 'invitation', email: text('mail', n), account_id: text('a', n) },
    ...{ organization_id: organizationOf(n), role: 'viewer', created_by: 'cli:test', created_at: n, expires_at: n },
  }));
  await fillTable(database, 'challenge', count, (n) => ({
    ...{ hash: text('h', n), kind: 'sso', account_id: n % 10 === 0 ? text('a', n) : null, facts: '{}' },
    ...{ created_at: n, expires_at: n },
  }));
  await fillTable(database, 'guess', count, (n) => ({ subject: text('g', n), empty_at: n }));
  await fillTable(database, 'familiar_device', count, (n) => ({
    ...{ account_id: text('a', n), hash: text('h', n), created_at: n, seen_at: n },
  }));
  await fillTable(database, 'passkey', count, (n) => ({
    ...{ id: text('p', n), account_id: text('a', n), credential_id: text('c', n), public_key: Buffer.alloc(77) },
    ...{ counter: 0, transports: '[]', name: 'key', created_at: n, used_at: null },
  }));
  await fillTable(database, 'sso_identity', count, (n) => ({
    ...{ issuer: 'https://login.example.com', subject: text('u', n), account_id: text('a', n), created_at: n },
  }));
  await fillTable(database, 'management_key', count, (n) => ({
    ...{ organization_id: organizationOf(n), id: text('k', n), name: 'robot', role: 'viewer', enabled: 1 },
    ...{ allow_list: '[]', expires_at: null, created_by: 'cli:test', created_at: n, updated_at: n },
  }));
}

const ids = (prefix: string) => Array.from({ length: 100 }, (_, n) => text(prefix, n * 7));
const page = { take: 51, after: undefined };

/** What is asked of people's tables at each request, each sign-in and by those who tidy up. */
const questions: Questions = {
  'the sessions of cookies, with whom they stand for': async ({ db }) => {
    await findSessionsByHash(db, ids('h'));
    await findAccounts(db, ids('a'));
    await listMembershipsOf(db, ids('a'));
  },
  'the sessions of a person': ({ db }) =>
    listSessions(db, account, { now: 1, idleMs: 1 }, { before: text('s', 9_000), limit: 51 }),
  'sessions beyond what a person may have': ({ db }) => deleteOldestSessions(db, account, 50),
  'all sessions but one': ({ db }) => deleteSessions(db, account, { except: text('s', 7) }),
  'a person by their address': ({ db }) => findAccountByEmail(db, text('mail', 7)),
  'who runs the instance': ({ db }) => listOperators(db),
  'a page of them': ({ db }) => listAccounts(db, { operator: true }, { take: 51, after: text('a', 9_000) }),
  'other owners': ({ db }) => lockAndCountOwners(db, organizationOf(7), account),
  'which organizations are suspended': ({ db }) => findSuspended(db, ids('o')),
  'a page of organizations': ({ db }) => listOrganizations(db, { after: text('o', 9_000), limit: 51 }),
  'organizations that fit a search': async ({ db }) => {
    await searchOrganizations(db, { after: text('o', 9_000), limit: 51 }, 'nothing');
    await searchOrganizations(db, { ids: ids('o'), limit: 51 }, 'nothing');
  },
  'invitations of an organization': ({ db }) => listInvitations(db, organizationOf(7), 1, page),
  'a link': ({ db }) => takeLink(db, text('h', 7), 1),
  'the links of a person': ({ db }) => deleteLinksOf(db, account),
  'an answer that is waited for': ({ db }) => takeChallenge(db, 'sso', text('h', 7), 1),
  'what a person was asked': ({ db }) => deleteChallengesOf(db, account),
  'a guess that was right': ({ db }) => takeBackGuess(db, text('g', 7), 1),
  'browsers of a person': async ({ db }) => {
    await isFamiliarDevice(db, account, text('h', 7), 1);
    await putFamiliarDevice(db, account, { hash: 'new', former: text('h', 7) }, 1);
  },
  'passkeys of a person': async ({ db }) => {
    await listPasskeys(db, account);
    await findPasskeyByCredential(db, text('c', 7));
    await deletePasskeys(db, account);
  },
  'whom an identity provider knows': async ({ db }) => {
    await findSsoIdentity(db, 'https://login.example.com', text('u', 7));
    await listSsoIdentities(db, account);
  },
  'management keys': async ({ db }) => {
    await findManagementKeys(db, ids('k'));
    await listManagementKeys(db, organizationOf(7), { take: 51, after: text('k', 9_000) });
  },
  'what has ended by itself': async ({ db }) => {
    for (const forget of [deleteSessionsThatEnded, forgetChallenges, forgetLinks, forgetGuesses]) await forget(db, 100);
    await forgetFamiliarDevices(db, 100);
  },
};

/** One person's rows are put in order. */
const maySort: ReadonlySet<string> = new Set(['browsers of a person', 'whom an identity provider knows']);
const large =
  /^(organization|account|membership|session|one_time_link|challenge|guess|familiar_device|passkey|sso_identity|management_key)$/;

/** It holds operators alone: to read all of it is to read what is looked for. */
const indexOfOperators = /using index account_operator\b/i;

const rules = {
  isLarge: (table: string) => large.test(table),
  planner: 'pressed',
  allows: (question: string, { kind, line }: Waste) =>
    (kind !== 'scan' && maySort.has(question)) || indexOfOperators.test(line),
} as const;

onBothDatabases('among many people', (open) => {
  test('nothing is asked that reads a table, or an index, as a whole', async (t) => {
    const database = await open(t);
    await fillAll(database);
    await assertNoWaste(database, questions, rules);
  });
});
