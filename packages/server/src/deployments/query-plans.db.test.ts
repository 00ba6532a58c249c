import { test } from 'node:test';
import { findTokens, findTokensFor, forgetExpiredTokens, listTokens } from '../accounts/token-registry.ts';
import { indexAll } from '../audit/audit-index.testing.ts';
import { listEntries } from '../audit/audit-index.ts';
import { findStray, listLinkEntries, pruneLinks } from '../audit/audit-store.ts';
import {
  findCurrentVersions,
  listCertificates,
  listSealedOtherwise,
  listSealingKeys,
  listVersions,
  searchCertificates,
} from '../certificates/certificate-store.ts';
import { forgetChanges, readChanges, readPosition } from '../database/change-log.ts';
import type { Database } from '../database/connect.ts';
import { assertNoWaste, fillTable, type Questions, type Waste } from '../database/query-plan.testing.ts';
import type { Tables } from '../database/tables.ts';
import { onBothDatabases } from '../database/testing.ts';
import {
  addActivity,
  findDeployments,
  forgetRefusals,
  listDeployments,
  listRefusals,
  searchDeployments,
} from './deployment-store.ts';

const organizations = 200;
const rowsEach = 20_000;

const text = (prefix: string, number: number) => `${prefix}${String(number).padStart(8, '0')}`;
const organizationOf = (number: number) => text('o', number % organizations);
/** Few rows are old, sealed by a former key, or end by themselves: as in an instance that has run for long. */
const isRare = (number: number) => number % 100 === 0;
/** A page's worth of payload, or the planner finds it cheaper to read the whole small table. */
const payload = 'x'.repeat(500);

interface Filling<Table extends keyof Tables> {
  readonly count: number;
  readonly row: (number: number) => Tables[Table];
}

const fillings: { readonly [Table in keyof Tables]?: Filling<Table> } = {
  change_log: {
    count: rowsEach,
    row: (n) => ({ revision: n, kind: 'token', subject_id: text('t', n), at: n, organization_id: null }),
  },
  audit_link: {
    count: rowsEach / 4,
    row: (n) => ({ link: n + 1, day: text('', Math.floor(n / 500)), at: n, entries: 4, mac: text('m', n) }),
  },
  audit_entry: {
    count: rowsEach,
    row: (n) => ({
      link: Math.floor(n / 4) + 1,
      position: n % 4,
      organization_id: organizationOf(n),
      at: n,
      actor: 'cli',
      action: n % 4 === 0 ? 'private-key.hand-out' : 'test.do',
      subject: text('d', n % 20),
      detail: JSON.stringify({ certificate: text('c', n % 100), payload }),
    }),
  },
  token: {
    count: rowsEach,
    row: (n) => ({
      hash: text('h', n),
      kind: 'deployment',
      organization_id: organizationOf(n),
      subject_id: text('d', n),
      hint: 'hint',
      created_at: n,
      expires_at: isRare(n) ? n : null,
      ended: 0,
      made_by: null,
    }),
  },
  certificate: {
    count: rowsEach,
    row: (n) => ({
      organization_id: organizationOf(n),
      id: text('c', n),
      name: 'name',
      state: 'issued',
      source: 'imported',
      current_version: text('v', n),
      former_version: null,
      versions: 1,
      created_at: n,
      updated_at: n,
    }),
  },
  certificate_version: {
    count: rowsEach,
    row: (n) => ({
      organization_id: organizationOf(n),
      certificate_id: text('c', n),
      id: text('v', n),
      number: 1,
      state: 'issued',
      domains: '[]',
      chain: payload,
      sealed_key: Buffer.alloc(100),
      key_id: isRare(n) ? 'former' : 'newest',
      key_type: 'ec',
      serial: '01',
      fingerprint: text('f', n),
      issuer: 'issuer',
      subject: 'subject',
      not_before: 0,
      not_after: n,
      created_at: n,
      revoked_at: null,
    }),
  },
  deployment: {
    count: rowsEach,
    row: (n) => ({
      organization_id: organizationOf(n),
      id: text('d', n),
      certificate_id: text('c', n % 100),
      name: 'name',
      enabled: 1,
      permitted: 1,
      query_token: 1,
      allow_list: '[]',
      requests_per_minute: null,
      expires_at: null,
      created_at: n,
      updated_at: n,
    }),
  },
  deployment_refusal: {
    count: rowsEach,
    row: (n) => ({
      organization_id: organizationOf(n),
      deployment_id: text('d', n % 1_000),
      minute: n,
      reason: 'address_not_allowed',
      address: '192.0.2.1',
      count: 1,
    }),
  },
};

async function fillAll(database: Database): Promise<void> {
  for (const [table, filling] of Object.entries(fillings)) {
    const { count, row } = filling as Filling<'token'>;
    await fillTable(database, table as 'token', count, row);
  }
  await database.db
    .updateTable('audit_head')
    .set({ link: rowsEach / 4 })
    .execute();
  await indexAll(database);
}

const ids = (prefix: string, count = 250) => Array.from({ length: count }, (_, number) => text(prefix, number * 7));
const deployment = { organization_id: organizationOf(7), id: text('d', 7) };

const activityOf = (id: string) => ({
  ...{ organization_id: organizationOf(7), deployment_id: id, last_seen_at: 1, last_address: '192.0.2.1' },
  ...{ last_user_agent: 'curl', last_version: text('v', 1), successes: 1, not_modified: 0 },
});

/** What is asked while others wait, or of tables that grow with an instance. */
const questions: Questions = {
  'the deployments of a certificate': ({ db }) => listDeployments(db, { certificateId: text('c', 9), limit: 100 }),
  'the next of them': ({ db }) => listDeployments(db, { certificateId: text('c', 9), after: text('d', 9), limit: 100 }),
  'deployments that fit a search': ({ db }) =>
    searchDeployments(db, { organizationId: organizationOf(3), limit: 100 }, 'web'),
  'the deployments of an organization': ({ db }) =>
    listDeployments(db, { organizationId: organizationOf(3), limit: 100 }),
  'the deployments of tokens': ({ db }) => findDeployments(db, ids('d')),
  'figures to be added to': (database) => addActivity(database, ids('d', 500).map(activityOf)),
  'the refusals of a deployment': ({ db }) => listRefusals(db, deployment, 50),
  'refusals that are old': ({ db }) => forgetRefusals(db, 200, 100),
  'tokens by their hash': ({ db }) => findTokens(db, ids('h')),
  'tokens of another kind, with their holders': ({ db }) => findTokensFor(db, 'messaging', ids('h')),
  'the tokens of a deployment': ({ db }) => listTokens(db, deployment.organization_id, deployment.id),
  'tokens that ended long ago': ({ db }) => forgetExpiredTokens(db, 200, 500),
  'how far changes have come': ({ db }) => readPosition(db),
  'changes since a revision': ({ db }) => readChanges(db, { revision: rowsEach - 100, note: undefined }, rowsEach - 1),
  'changes that all have heard of': ({ db }) => forgetChanges(db, 200),
  'certificates with their versions': ({ db }) => findCurrentVersions(db, ids('c')),
  'the certificates of an organization': ({ db }) =>
    listCertificates(db, { organizationId: organizationOf(3), limit: 100 }),
  'certificates that fit a search': ({ db }) =>
    searchCertificates(db, { organizationId: organizationOf(3), limit: 100 }, 'no-such-name'),
  'the versions of a certificate': ({ db }) =>
    listVersions(db, { organization_id: organizationOf(7), id: text('c', 7) }, { before: 100, limit: 50 }),
  'keys to be sealed anew': ({ db }) => listSealedOtherwise(db, 'newest', 200),
  'keys to be sealed anew, when all are': ({ db }) => listSealedOtherwise(db, 'former', 200),
  'which master keys are in use': ({ db }) => listSealingKeys(db),
  'the newest audit entries': (database) => listEntries(database, 100, { limit: 100 }),
  'the audit entries of an organization': (database) =>
    listEntries(database, 100, { organizationId: organizationOf(3), limit: 100 }),
  'the audit entries of a subject': (database) => listEntries(database, 100, { subject: text('d', 9), limit: 100 }),
  'the audit entries of a subject of an organization': (database) =>
    listEntries(database, 100, { subject: text('d', 9), organizationId: organizationOf(9), limit: 100 }),
  'the audit entries of some links': ({ db }) => listLinkEntries(db, 1_000, 1_100),
  'links that stand where none should': ({ db }) => findStray(db),
  'the hand-outs of a certificate': (database) => listEntries(database, 100, { handedOut: text('c', 8), limit: 100 }),
  'the next hand-outs of a certificate': (database) =>
    listEntries(database, 100, { handedOut: text('c', 8), before: { link: 4_000, position: 2 }, limit: 100 }),
  'links whose time is over': ({ db }) => pruneLinks(db, 200),
};

/**
 * They put in order what one deployment or a few links have: few rows, and no index would be worth its writes.
 */
const maySort: ReadonlySet<string> = new Set([
  'the refusals of a deployment',
  'the tokens of a deployment',
  'links whose time is over',
  'the audit entries of an organization',
  'the audit entries of a subject',
  'the audit entries of a subject of an organization',
  'the hand-outs of a certificate',
  'the next hand-outs of a certificate',
]);
/** The audit index is filled by what fills it in earnest. */
const isLarge = (table: string): boolean => table in fillings || table === 'audit_index_page';

const rules = {
  isLarge,
  allows: (question: string, { kind }: Waste) => kind !== 'scan' && maySort.has(question),
};

onBothDatabases('a large instance', (open) => {
  test('reads no table as a whole and sorts no rows that an index has in order', async (t) => {
    const database = await open(t);
    await fillAll(database);
    await assertNoWaste(database, questions, rules);
  });
});
