import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  deleteOldestSessions,
  deleteSessions,
  deleteSessionsThatEnded,
  findSessionsByHash,
  forgetFamiliarDevices,
  isFamiliarDevice,
  listSessions,
  putFamiliarDevice,
} from '../accounts/sessions/session-store.ts';
import {
  findAccountByEmail,
  findAccounts,
  listAccounts,
  listMembershipsOf,
  listOperators,
  lockAndCountOwners,
} from '../accounts/store/account-store.ts';
import { deleteChallengesOf, forgetChallenges, takeChallenge } from '../accounts/store/challenge-store.ts';
import { deletePasskeys, findPasskeyByCredential, listPasskeys } from '../accounts/store/factor-store.ts';
import { deleteLinksOf, forgetLinks, listInvitations, takeLink } from '../accounts/store/link-store.ts';
import { forgetGuesses, takeBackGuess } from '../accounts/store/sign-in-limit-store.ts';
import { findSsoIdentity, listSsoIdentities } from '../accounts/store/sso-store.ts';
import { endWaiting } from '../alerts/channels/alert-channel-store.ts';
import {
  forgetAlerts,
  giveUpBefore,
  listAlerts,
  listDeliveries,
  listDueChannels,
  readNextDigest,
} from '../alerts/telling/alert-store.ts';
import { indexLinks, listEntries } from '../audit/audit-index.ts';
import { findStray, listLinkEntries, pruneLinks } from '../audit/audit-store.ts';
import { findIdleCarriers } from '../carriers/carrier-store.ts';
import {
  findLastIntent,
  findOrderOfVersion,
  findUntoldRevocation,
  listDueOrders,
  listDueRevocations,
  listSteps,
  wantRevocation,
} from '../certificates/acme/orders/order-store.ts';
import {
  findAlpnAnswer,
  findHttpAnswer,
  findTextValues,
  listChallenges,
} from '../certificates/acme/orders/proof-store.ts';
import { countProviderRecords } from '../certificates/acme/proofs/dns-provider-store.ts';
import {
  findNextDue,
  findProviderUses,
  findRequest,
  listDueRequests,
  listDueWindows,
} from '../certificates/acme/requests/request-store.ts';
import { findForeignName, findSharedNames, forgetNames } from '../certificates/certificate-name-store.ts';
import {
  findCurrentVersions,
  listCertificates,
  listChains,
  listSealedOtherwise,
  listSealingKeys,
  listVersions,
  searchCertificates,
} from '../certificates/certificate-store.ts';
import { forgetChanges, readChanges, readPosition } from '../database/change-log.ts';
import type { Database } from '../database/database.ts';
import { insertValues } from '../database/insert-values.testing.ts';
import { lockLeases } from '../database/lease-store.ts';
import type { AttemptBuckets, PushMinuteRow, PushResendRow, PushSettingRow } from '../database/schema/push-tables.ts';
import { assertNoWaste, type Questions, type Waste } from '../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import {
  addActivity,
  findDeployments,
  findPlaced,
  forgetRefusals,
  listDeployments,
  listRefusals,
  searchDeployments,
} from '../deployments/deployment-store.ts';
import { countRollouts, readDeployed } from '../deployments/rollout.ts';
import {
  deletingParts,
  deletingPartsOf,
  explainingMoves,
  findAdoptable,
  findEnded,
  findingCarrierMessages,
  findingOrphans,
  lockingMessages,
  postponingParts,
  removingOrphans,
  updatingMessages,
} from '../messages/delivery/delivery-store.ts';
import { findDueParts, findOpenMessages, moveParts, pullForward } from '../messages/delivery/part-queue-store.ts';
import { listEvents } from '../messages/history/list-events.ts';
import { findingMissedReplies, findingMissedStatuses, listEventsIn } from '../messages/history/missed-event-store.ts';
import {
  deleteBatches,
  deleteEvents,
  deleteOrphans,
  deleteReferences,
  deleteReplies,
  deleteUsage,
  nextOrganization,
} from '../messages/history/retention-store.ts';
import { addingUsage, findIdempotencyKeys } from '../messages/send/accept-store.ts';
import {
  findBlockedWords,
  listBlockedNumbers,
  listBlockedWords,
  listOptOuts,
} from '../messages/senders/blocked-list-store.ts';
import { readNumberLists } from '../messages/senders/content-lists.ts';
import { findMessagingKeys, listMessagingKeys } from '../messages/senders/messaging-key-store.ts';
import { appendingEvents } from '../messages/state/event-log.ts';
import { newDelivery } from '../messages/state/message-state.ts';
import {
  findBatch,
  findCarrierMessagesOf,
  findLatestMessage,
  findMessage,
  findMessagesOf,
  findQueuedPartsOf,
  listMessages,
} from '../messages/state/message-store.ts';
import { findReplies } from '../messages/state/reply-store.ts';
import { toColumns } from '../messages/state/stored-delivery.ts';
import { findManagementKeys } from '../organizations/management-key-lookup.ts';
import { listManagementKeys } from '../organizations/management-key-store.ts';
import { findSuspended, listOrganizations, searchOrganizations } from '../organizations/organization-store.ts';
import { findTokens, findTokensFor, forgetExpiredTokens, listTokens } from '../organizations/token-registry.ts';
import { settlementQueries } from '../push/engine/settlement-store.ts';
import { addMinutes, forgetOldestMinute, readMinutes, sumMinutes } from '../push/history/minute-store.ts';
import { bucketNames } from '../push/history/push-figures.ts';
import {
  findEndedOf,
  findEnded as findEndedPush,
  findWaiting,
  findWaitingIds,
  listAttempts,
  listHistory,
  listUndelivered,
  listWaiting,
  readFigures,
} from '../push/history/push-list-store.ts';
import { forgetOldPushes } from '../push/history/push-retention.ts';
import {
  advanceResend,
  countUndelivered,
  listResends,
  moveBack,
  readUndelivered,
} from '../push/history/resend-store.ts';
import { readSettingOutcomes } from '../push/history/setting-outcomes.ts';
import {
  pullForward as pullPushesForward,
  readDue,
  readToEnd,
  readWaitingSettings,
} from '../push/history/waiting-store.ts';
import { insertWaiting, readStates } from '../push/outbox/push-store.ts';
import { findSecrets, findSetting, findSettings } from '../push/settings/push-setting-store.ts';
import { newId } from '../runtime/clock.ts';

const rowsEach = 20_000;
/** Each has one push setting of statuses. */
const organizations = 200;
const year = 365 * 86_400_000;

const text = (prefix: string, number: number) => `${prefix}${String(number).padStart(8, '0')}`;
const of =
  (prefix: string, most = rowsEach) =>
  (n: number) =>
    text(prefix, n % most);
const organizationOf = of('o', organizations);
const settingOf = of('s', organizations);
const shardOf = (n: number) => (n % organizations) % 64;
const pushIdOf = (n: number) => newId(year + n, new Uint8Array(10));
/** Few rows are old, open, sealed by a former key, or end by themselves: as in an instance that has run for long. */
const isRare = (n: number) => n % 100 === 0;
/** Of an organization's rows each second one. */
const isOdd = (n: number) => Math.floor(n / organizations) % 2 === 1;
/** A page's worth of payload, or the planner finds it cheaper to read the whole small table. */
const payload = 'x'.repeat(500);
const pushed = JSON.stringify({ batch_id: 'b', mobile: '+8613800138000', status: 'REJECTED', memo: payload });

type Value = string | number | null;
type Values = Readonly<Record<string, Value | ((n: number) => Value)>>;

/** What columns hold in every table; for all others their type says it. */
const usual: Values = { organization_id: organizationOf, position: 0, allow_list: '[]', query_key_id: null };

interface Filling extends Values {
  /** How many rows, if not `rowsEach`. */
  readonly $count?: number;
}

/** The tables that grow with an instance, and what some of their columns hold. */
const fillings: Readonly<Record<string, Filling>> = {
  change_log: { revision: (n) => n, kind: 'token', subject_id: of('t'), organization_id: null },
  audit_link: { $count: rowsEach / 4, link: (n) => n + 1, day: (n) => text('', Math.floor(n / 500)), entries: 4 },
  audit_entry: {
    ...{ link: (n) => Math.floor(n / 4) + 1, position: (n) => n % 4, subject: of('d', 20) },
    action: (n) => (n % 4 === 0 ? 'private-key.hand-out' : 'test.do'),
    detail: (n) => JSON.stringify({ certificate: text('c', n % 100), payload }),
  },
  token: {
    hash: of('h'),
    kind: 'deployment',
    subject_id: of('d'),
    expires_at: (n) => (isRare(n) ? n : null),
    ended: 0,
  },
  certificate: { id: of('c'), state: 'issued', source: 'imported', current_version: of('v') },
  certificate_version: {
    ...{ certificate_id: of('c'), id: of('v'), number: 1, state: 'issued', domains: '[]', chain: payload },
    ...{ key_id: (n) => (isRare(n) ? 'former' : 'newest'), fingerprint: of('f'), not_after: (n) => n },
  },
  certificate_name: { name: of('www', 10_000), certificate_id: of('c') },
  certificate_request: {
    ...{ certificate_id: of('c'), authorities: '["a"]', domains: payload, order_id: of('o'), challenge: 'http-01' },
    ...{ next_at: (n) => year + n, ari_next_at: (n) => year + n, attempts: (n) => (isRare(n) ? 1 : 0) },
    dns_provider_id: of('p', 1_000),
  },
  // Most have ended long ago.
  acme_order: {
    ...{ id: of('o'), certificate_id: of('c'), authority_id: of('a', 3), names_hash: of('h'), intent_at: (n) => n },
    ...{ url: of('u'), failure: payload, version_id: of('v'), next_at: (n) => (isRare(n) ? n : null) },
    revoke_at: (n) => (isRare(n) ? n : null),
  },
  acme_step: { order_id: of('o'), number: 1, words: payload },
  acme_challenge: {
    ...{ token: of('t'), order_id: of('o'), authorization_url: payload, domain: of('www'), record_name: of('r') },
    type: (n) => (isOdd(n) ? 'http-01' : 'tls-alpn-01'),
  },
  deployment: { id: of('d'), certificate_id: of('c', 100) },
  deployment_activity: { deployment_id: of('d'), last_version: of('v') },
  deployment_refusal: { deployment_id: of('d', 1_000), minute: (n) => n, address: '192.0.2.1' },

  organization: { id: of('o'), name: of('name') },
  account: { id: of('a'), email: of('mail'), operator: (n) => (n % 500 === 0 ? 1 : 0), operator_by_sso: 0 },
  membership: { account_id: of('a'), role: 'viewer' },
  session: { id: of('s'), hash: of('h'), account_id: of('a'), user_agent: payload },
  one_time_link: { id: of('l'), hash: of('h'), kind: 'invitation', email: of('mail'), account_id: of('a') },
  challenge: { hash: of('h'), kind: 'sso', account_id: (n) => (n % 10 === 0 ? text('a', n) : null) },
  guess: { subject: of('g') },
  familiar_device: { account_id: of('a'), hash: of('h') },
  passkey: { id: of('p'), account_id: of('a'), credential_id: of('c') },
  sso_identity: { issuer: 'https://login.example.com', subject: of('u'), account_id: of('a') },
  management_key: { id: of('k'), role: 'viewer' },

  message_batch: { id: of('b'), content: payload },
  message: {
    ...{ batch_id: of('b'), mobile: of('+86', 5_000), number: of('+86', 5_000), carrier_id: 'c', memo: payload },
    ...{ status: (n) => (isRare(n) ? null : 'DELIVRD'), parts: (n) => (isRare(n) ? 's' : 'D'), push_id: of('p') },
    ...{ settled_at: (n) => (isRare(n) ? null : n) },
  },
  message_part: { batch_id: of('b'), part: 0, carrier_id: of('c', 3), number: of('+86') },
  carrier_message: { carrier_id: 'c', carrier_message_id: of('m'), batch_id: of('b'), part: 0 },
  orphan_receipt: { carrier_id: 'c', carrier_message_id: of('x'), status: 'DELIVRD' },
  reply: { id: of('r'), sender: of('+86'), content: payload, owned_by: 'number', push_id: of('p') },
  message_counter: { $count: organizations, value: rowsEach / organizations, forgotten: 0 },
  message_event: {
    ...{ number: (n) => 1 + Math.floor(n / organizations), kind: (n) => (isOdd(n) ? 'status' : 'reply') },
    subject_id: (n) => text(isOdd(n) ? 'b' : 'r', n),
  },
  idempotency_key: { key_id: 'k', idempotency_key: of('i'), batch_id: of('b') },
  daily_usage: { day: of('') },
  messaging_key: { id: of('k') },
  opt_out: { number: of('+86'), source: 'manual' },
  blocked_number: { number: of('+86') },
  blocked_word: { word: of('w') },

  push_setting: { $count: organizations, id: settingOf, kind: 'status', shard: shardOf, url: 'https://a.b/' },
  push: { id: pushIdOf, setting_id: settingOf, shard: shardOf, payload: pushed },
  // One in ten was not delivered.
  push_history: {
    ...{ id: pushIdOf, setting_id: settingOf, payload: pushed },
    state: (n) => (n % 10 === 0 ? 'failed' : 'delivered'),
  },
  push_attempt: { push_id: pushIdOf, number: 1, error: payload },
  push_minute: { setting_id: settingOf, minute: (n) => n, delivered: 1 },

  alert_channel: { $count: organizations, id: of('ac', organizations), retry_at: 0 },
  alert: { id: pushIdOf, notice: 'instance_disk', parameters: '{}' },
  alert_delivery: {
    ...{ alert_id: pushIdOf, channel_id: of('ac', organizations), digest_id: pushIdOf, destination: payload },
    state: (n) => (isRare(n) ? 'waiting' : 'sent'),
  },
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly optional: number;
}

async function readColumns(database: Database, table: string): Promise<readonly Column[]> {
  const query =
    database.dialect === 'sqlite'
      ? sql<Column>`select name, lower(type) as type, 1 - "notnull" as optional from pragma_table_info(${table})`
      : sql<Column>`select column_name as name, data_type as type, cast(is_nullable = 'YES' as integer) as optional
          from information_schema.columns where table_schema = current_schema() and table_name = ${table}`;
  return (await query.execute(database.db)).rows;
}

/** Fills every table; a column that is not told is null where it may be, else it holds what its type allows. */
async function fillAll(database: Database): Promise<void> {
  for (const [table, { $count = rowsEach, ...told }] of Object.entries(fillings)) {
    const columns = await readColumns(database, table);
    const makers = columns.map(({ name, type, optional }) => {
      const given = told[name] ?? usual[name];
      if (typeof given === 'function') return given;
      if (given !== undefined || optional === 1) return () => given ?? null;
      if (type === 'bigint') return (n: number) => n;
      if (type === 'integer' || type === 'smallint') return () => 1;
      return () => (type === 'text' ? 'text' : Buffer.alloc(100));
    });
    const names = columns.map(({ name }) => name);
    const unknown = Object.keys(told).filter((name) => !names.includes(name));
    assert.deepEqual(unknown, [], table);
    const rows = Array.from({ length: $count }, (_, n) => makers.map((make) => make(n)));
    const named = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
    await insertValues(database, database.db, table as 'token', named as never);
  }
  const link = rowsEach / 4;
  await database.db.updateTable('audit_head').set({ link }).execute();
  while (await indexLinks(database));
}

const ids = (prefix: string, count = 100) => Array.from({ length: count }, (_, number) => text(prefix, number * 7));
const deployment = { organization_id: organizationOf(7), id: text('d', 7) };
const activityOf = (id: string) => ({
  ...{ organization_id: organizationOf(7), deployment_id: id, last_seen_at: 1, last_address: '192.0.2.1' },
  ...{ last_user_agent: 'curl', last_version: text('v', 1), version_since: 1, successes: 1, not_modified: 0 },
});

/** What certificates, their deployments and the audit trail are asked. */
const ofCertificates: Questions = {
  'the deployments of a certificate': ({ db }) => listDeployments(db, { certificateId: text('c', 9), limit: 100 }),
  'the next of them': ({ db }) => listDeployments(db, { certificateId: text('c', 9), after: text('d', 9), limit: 100 }),
  'deployments that fit a search': ({ db }) =>
    searchDeployments(db, { organizationId: organizationOf(3), limit: 100 }, { text: 'web' }, year),
  'deployments that are outdated': ({ db }) =>
    searchDeployments(db, { organizationId: organizationOf(3), limit: 100 }, { outdated: true }, year),
  'a deployment with what it fetched last': ({ db }) => findPlaced(db, text('d', 7)),
  'how far a version has come': (database) =>
    countRollouts(
      database.db,
      database,
      ids('c').map((id) => ({ id })),
      year,
    ),
  'who has the current version, and who is outdated': (database) => readDeployed(database, year, 0),
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
  'certificates with the same names': (database) =>
    findSharedNames(database.db, database, organizationOf(7), ids('www'), 200),
  'names that another organization has': ({ db }) => findForeignName(db, organizationOf(7), ids('www')),
  'names that are replaced': ({ db }) => forgetNames(db, text('c', 9)),
  'chains to be judged': (database) => listChains(database, text('c', 9), 50),
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
  'links whose time is over': (database) => pruneLinks(database, database.db, 200),
};

const account = text('a', 7);
const peoplePage = { take: 51, after: undefined };

/** What is asked of people's tables at each request, each sign-in and by those who tidy up. */
const ofPeople: Questions = {
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
  'invitations of an organization': ({ db }) => listInvitations(db, organizationOf(7), 1, peoplePage),
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

const organizationId = organizationOf(7);
const messagePage = { organizationId, limit: 100 };
const someTime = { acceptedSince: 1_000, acceptedBefore: 1_800_000_000_000 };
const numbers = Array.from({ length: 100 }, (_, index) => index * 7);
const refs = numbers.map((n) => ({ organizationId: organizationOf(n), batchId: text('b', n), position: 0 }));
const parts = refs.map((ref) => ({ ...ref, part: 0 }));
const keys = numbers.map((n) => ({ carrierId: 'c', carrierMessageId: text('m', n) }));
const orphans = numbers.map((n) => ({
  ...{ carrier_id: 'c', carrier_message_id: text('x', n), status: 'DELIVRD' as const, memo: null, received_at: n },
}));
const openKey = { ends_at: 10_000, organization_id: organizationId, batch_id: text('b', 7), position: 0 };
const changed = numbers.map((n) => ({
  ...{ organization_id: organizationOf(n), batch_id: text('b', n), position: 0, mobile: '+86', number: '+86' },
  ...{
    segments: 1,
    ...toColumns(newDelivery(1)),
    carrier_id: 'c',
    carrier_reason: null,
    simulated: 0 as const,
    accepted_at: n,
    sent_at: n,
  },
  ...{ settled_at: n, ends_at: n, push_id: null, newPushId: text('p', n), text_cut: null },
}));

/** What the message gateway asks. */
const ofMessages: Questions = {
  'which numbers are on lists': (database) =>
    readNumberLists(
      database,
      numbers.map((n) => ({ organizationId: organizationOf(n), number: text('+86', n) })),
    ),
  'idempotency keys': (database) =>
    findIdempotencyKeys(
      database,
      numbers.map((n) => ({ organizationId: organizationOf(n), keyId: 'k', idempotencyKey: text('i', n) })),
    ),
  'what is used of a day': async (database) => [
    addingUsage(
      database,
      numbers.map((n) => ({ organization_id: text('o', n), day: text('', n), used: 1 })),
    ),
  ],
  'what carriers mean': async (database) => [
    ...findingCarrierMessages(database, keys),
    ...findingOrphans(database, keys),
  ],
  'the messages of events': async (database) => [
    ...lockingMessages(database, refs, keys),
    ...lockingMessages(database, refs, []),
    ...lockingMessages(database, [], keys),
  ],
  'what becomes of messages': async (database) => updatingMessages(database, changed),
  'parts out of the queue': async (database) => [...deletingParts(database, parts), ...deletingPartsOf(database, refs)],
  'parts that are due later': async (database) =>
    [postponingParts, explainingMoves].flatMap((build) =>
      build(
        database,
        parts.map((part) => ({ part, dueAt: 1, attempts: 1, unanswered: 0, refusedBy: ['c'], next: { id: 'd' } })),
      ),
    ),
  'adopted receipts': async (database) => removingOrphans(database, orphans),
  'receipts committed beside their answer': ({ db }) => findAdoptable(db, rowsEach - 100, 1_000),
  'messages whose time is over': ({ db }) => findEnded(db, rowsEach, 1_000),
  'new events': async (database) =>
    appendingEvents(
      database,
      refs.map((ref) => ({ ...ref, kind: 'status', subjectId: ref.batchId })),
      1,
    ),
  'a page of events': (database) => listEvents(database, { ...messagePage, after: 10 }),
  'a batch': async ({ db }) => {
    const batch = await findBatch(db, organizationId, text('b', 7));
    assert.ok(batch !== undefined);
    return findMessagesOf(db, batch);
  },
  'who wrote to a number last': ({ db }) => findLatestMessage(db, text('+86', 7), 10),
  'the newest messages': ({ db }) => listMessages(db, messagePage),
  'the newest messages before a batch': ({ db }) => listMessages(db, { ...messagePage, before: text('b', 15_000) }),
  'the newest messages to a number': ({ db }) => listMessages(db, { ...messagePage, number: text('+86', 7) }),
  'the newest messages to a number within a time': ({ db }) =>
    listMessages(db, { ...messagePage, number: text('+86', 7), ...someTime }),
  'the newest messages within a time': ({ db }) => listMessages(db, { ...messagePage, ...someTime }),
  'the newest open messages within a time': ({ db }) =>
    listMessages(db, { ...messagePage, status: 'open', ...someTime }),
  'the newest open messages': ({ db }) =>
    listMessages(db, { ...messagePage, status: 'open', before: text('b', 15_000) }),
  'the newest messages that were rejected': ({ db }) =>
    listMessages(db, { ...messagePage, status: 'REJECTED', before: text('b', 15_000), behind: 3 }),
  'a message with its parts': async ({ db }) => {
    const found = await findMessage(db, organizationId, text('b', 7), 0);
    assert.ok(found !== undefined);
    await findCarrierMessagesOf(db, found);
    await findQueuedPartsOf(db, found);
  },
  'the messages of a batch with a status': ({ db }) =>
    listMessages(db, { ...messagePage, batchId: text('b', 7), status: 'DELIVRD' }),
  'replies of an organization': ({ db }) => findReplies(db, { ...messagePage, before: text('r', 15_000) }),
  'parts that are due': ({ db }) => findDueParts(db, text('c', 1), rowsEach, 200),
  'parts that are due, going on': ({ db }) => findDueParts(db, text('c', 1), rowsEach, 200, rowsEach - 1),
  'parts that are due too late': ({ db }) => pullForward(db, text('c', 1), { latest: rowsEach - 10, now: 1 }),
  'carriers that are idle': ({ db }) => findIdleCarriers(db),
  'parts for another carrier': (database) =>
    moveParts(database, text('c', 1), () => ({ id: 'other', simulated: false })),
  'messages that wait for a receipt': ({ db }) => findOpenMessages(db, 'c', undefined, 50),
  'more messages that wait for a receipt': ({ db }) => findOpenMessages(db, 'c', openKey, 50),
  'messaging keys by their ids': ({ db }) =>
    findMessagingKeys(
      db,
      numbers.map((n) => text('k', n)),
    ),
  'messaging keys of an organization': ({ db }) => listMessagingKeys(db, organizationId),
  'a page of messaging keys': ({ db }) => listMessagingKeys(db, organizationId, { after: text('k', 7), limit: 50 }),
  'a page of blocked words': ({ db }) => listBlockedWords(db, organizationId, text('w', 7), 50),
  'lists of numbers': async ({ db }) => [
    await listOptOuts(db, organizationId, { after: text('+86', 7), limit: 100 }),
    await listBlockedNumbers(db, organizationId, { after: text('+86', 7), limit: 100 }),
    await listOptOuts(db, organizationId, { number: text('+86', 7), limit: 100 }),
  ],
  'blocked words': ({ db }) => findBlockedWords(db, ['', organizationId]),
  'batches whose time is over': (database) => deleteBatches(database, organizationId, 1),
  'replies whose time is over': ({ db }) => deleteReplies(db, organizationId, 1),
  'events whose time is over': (database) => deleteEvents(database, organizationId, 1_000),
  'references whose time is over': ({ db }) => deleteReferences(db, { sentBefore: 100, answeredBefore: 100 }),
  'receipts of nobody': ({ db }) => deleteOrphans(db, 100),
  'usage of former years': ({ db }) => deleteUsage(db, organizationId, text('', 50)),
  'organizations with something to remove': async ({ db }) => {
    for (const table of ['message_batch', 'message_counter', 'reply', 'daily_usage'] as const) {
      await nextOrganization(db, table, organizationId);
    }
  },
  'events without a push': async (database) => {
    const range = { organizationId, kind: 'status', from: 10, to: 90, since: 0 } as const;
    const events = await listEventsIn(database.db, range);
    assert.ok(events.length > 0);
    return [findingMissedStatuses, findingMissedReplies].map((finding) =>
      finding(database, events, 100).compile(database.db),
    );
  },
};

const setting: PushSettingRow = {
  ...{ organization_id: organizationId, id: settingOf(7), kind: 'status', shard: shardOf(7), url: 'https://a.b/' },
  ...{ enabled: 1, timeout_ms: 1, retries: 3, concurrency: 1, created_at: 1, updated_at: 1, switched_at: 1 },
  ...{ sealed_query: null, query_key_id: null },
};
const push = { organizationId, id: pushIdOf(7) };
const lane = { shard: setting.shard, id: setting.id };
const resend: PushResendRow = {
  ...{ organization_id: organizationId, id: 'r', setting_id: setting.id, shard: setting.shard, states: 'failed,off' },
  ...{ reached: pushIdOf(5), missed_since: null, missed_after: null, moved: 0, created_at: 1 },
};
const attempt = { at: 1, ms: 1, address: null, outcome: 'refused', status: null, error: null, excerpt: null };
const settlement = { ...push, lease: 'push/1', epoch: 1, attempts: 1, attempt };
const buckets = Object.fromEntries(bucketNames.map((name) => [name, 0])) as AttemptBuckets;
const minuteOf = (n: number): PushMinuteRow => ({
  ...{ organization_id: organizationOf(n), setting_id: settingOf(n), minute: n, delivered: 1, ...buckets },
});

/** What pushing asks. */
const ofPushes: Questions = {
  'which settings have something waiting': (database) => readWaitingSettings(database, [1, 2, 3]),
  'what is due too late': (database) => pullPushesForward(database, [1, 2, 3], { latest: rowsEach - 10, now: 1 }),
  'what a setting has due': ({ db }) => readDue(db, lane, rowsEach, 100, { dueAt: 5, id: pushIdOf(5) }),
  'what is to be ended': ({ db }) => readToEnd(db, lane, 5_000, 500),
  'queue pushes': (database) =>
    database.runBatch([
      insertWaiting(database, [
        { ...push, id: 'new', kind: 'status', at: 1, content: { query: { mobile: '1' } } },
      ]).compile(database.db),
    ]),
  'settle pushes': (database) =>
    database.runBatch(
      settlementQueries(database, [
        { ...settlement, end: { state: 'delivered', at: 1 } },
        {
          ...settlement,
          ...{ id: pushIdOf(8), organizationId: organizationOf(8) },
          end: { state: 'waiting', dueAt: 1 },
        },
        { ...settlement, ...{ id: pushIdOf(9), organizationId: organizationOf(9) }, end: { state: 'off', at: 1 } },
      ])
        .slice(lockLeases(database, []).length)
        .map((query) => query.compile(database.db)),
    ),
  'move pushes back': (database) =>
    database.runBatch(moveBack(database, [push], 1).map((query) => query.compile(database.db))),
  'a step of a re-send': (database) => advanceResend(database, resend, [push.id], false, 1),
  're-sends under way': ({ db }) => listResends(db, [1, 2, 3]),
  'what was not delivered': ({ db }) => readUndelivered(db, resend, 100),
  'how far pushes have come': (database) => readStates(database, push.organizationId, [push.id, pushIdOf(107)]),
  'a waiting push': ({ db }) => findWaiting(db, push.id),
  'an ended push': ({ db }) => findEndedPush(db, push.id),
  'its attempts': ({ db }) => listAttempts(db, { organization_id: push.organizationId, id: push.id }),
  'the waiting pushes of a setting': ({ db }) => listWaiting(db, setting, { before: pushIdOf(9_000), limit: 50 }),
  'the failed ones': ({ db }) => listUndelivered(db, setting, { state: 'failed', before: pushIdOf(9_000), limit: 50 }),
  'how much waits and has failed': ({ db }) => readFigures(db, setting, 10_000),
  'whatever became of pushes': ({ db }) => listHistory(db, push.organizationId, { before: pushIdOf(9_000), limit: 50 }),
  'what was accepted in some time': async ({ db }) => {
    const part = { before: pushIdOf(9_000), from: pushIdOf(8_000), limit: 50 };
    await listWaiting(db, setting, part);
    await listHistory(db, push.organizationId, part);
    await listUndelivered(db, setting, { state: 'failed', ...part });
  },
  'pushes that were selected': async ({ db }) => {
    await findEndedOf(db, push.organizationId, [push.id, pushIdOf(107)]);
    await findWaitingIds(db, push.organizationId, [push.id, pushIdOf(107)]);
  },
  'what is left of a re-send': ({ db }) => countUndelivered(db, resend, 10_000),
  'the minutes of a setting': ({ db }) => readMinutes(db, setting, 100),
  'the last minutes of all settings': ({ db }) => sumMinutes(db, rowsEach - 5, rowsEach),
  'figures that are too old': ({ db }) => forgetOldestMinute(db, 100),
  'figures that are added': (database) => addMinutes(database, [minuteOf(7), minuteOf(rowsEach)]),
  'what retention has passed': (database) => forgetOldPushes(database, year + 300, new AbortController().signal),
  'a setting with its secrets': async ({ db }) => {
    await findSetting(db, push.organizationId, 'status');
    await findSecrets(db, await findSettings(db, [setting.id]));
  },
};

const alertPage = { take: 51, after: pushIdOf(9_000) };

/** What issuing asks. */
const ofIssuing: Questions = {
  'which orders begin': ({ db }) => listDueRequests(db, year + 10, 100),
  'which windows are asked for': ({ db }) => listDueWindows(db, { now: year + 10, limit: 100 }),
  'which windows are asked for while others are': ({ db }) =>
    listDueWindows(db, {
      ...{ now: year + 10, limit: 100 },
      except: { certificates: ids('c', 20), organizations: [organizationOf(7)], authorities: [text('a', 1)] },
    }),
  'which orders go on': ({ db }) =>
    listDueOrders(db, { now: year, limit: 50, except: { ids: ids('o', 20), organizations: [], authorities: [] } }),
  'which revocations are told': ({ db }) =>
    listDueRevocations(db, { now: year, limit: 50, except: { ids: ids('o', 20), organizations: [], authorities: [] } }),
  'when something is due': ({ db }) => findNextDue(db),
  'the request of a certificate': ({ db }) => findRequest(db, text('c', 7)),
  'the steps of an order': ({ db }) => listSteps(db, text('o', 7), 1_000),
  'the proofs of an order': ({ db }) => listChallenges(db, text('o', 7)),
  'the answer to a token': ({ db }) => findHttpAnswer(db, text('t', 7)),
  'the answer for a name': ({ db }) => findAlpnAnswer(db, text('www', 7)),
  'the answer to a question for a record': ({ db }) => findTextValues(db, text('r', 7)),
  'when names were last ordered': ({ db }) => findLastIntent(db, text('a', 1), text('h', 7)),
  'the order of a version': ({ db }) =>
    findOrderOfVersion(db, { organization_id: organizationOf(7), certificate_id: text('c', 7), fingerprint: 'text' }),
  'orders that are to be revoked': ({ db }) => wantRevocation(db, text('c', 7), undefined, 1),
  'a revocation that nobody was told': ({ db }) => findUntoldRevocation(db, text('c', 7)),
  'records of a provider': (database) => countProviderRecords(database.db, database, text('p', 7)),
  'what uses a provider': ({ db }) => findProviderUses(db, organizationOf(7), text('p', 7)),
};

/** What alerts ask. */
const ofAlerts: Questions = {
  'what was told': ({ db }) => listAlerts(db, undefined, alertPage),
  'what was told of an organization': ({ db }) => listAlerts(db, organizationId, alertPage),
  'to whom it was told': ({ db }) => listDeliveries(db, [pushIdOf(7), pushIdOf(107)]),
  'channels for which something waits': ({ db }) => listDueChannels(db, year),
  'what is sent next': ({ db }) => readNextDigest(db, text('ac', 0)),
  'what is given up': ({ db }) => giveUpBefore(db, text('ac', 0), pushIdOf(9_000), 1),
  'a channel that was switched off': ({ db }) => endWaiting(db, text('ac', 0), 'off', 1),
  'what is told no longer': (database) => forgetAlerts(database, pushIdOf(300), new AbortController().signal),
  'what became of pushes lately': (database) => readSettingOutcomes(database),
};

/** As statements call large tables. */
const aliases: ReadonlySet<string> = new Set(['m', 'o', 'b', 'r', 'c', 'i', 'p', 'h']);
const isLarge = (table: string) =>
  aliases.has(table) || (table in fillings && fillings[table]?.$count !== organizations);

/** They put in order what one deployment, person, group or organization has: few rows, and no index is worth its writes. */
const maySort: ReadonlySet<string> = new Set([
  'the refusals of a deployment',
  'the tokens of a deployment',
  'links whose time is over',
  'the audit entries of an organization',
  'the audit entries of a subject',
  'the audit entries of a subject of an organization',
  'the hand-outs of a certificate',
  'the next hand-outs of a certificate',
  'browsers of a person',
  'whom an identity provider knows',
  'what carriers mean',
  'the messages of events',
  'events without a push',
  'blocked words',
  // The certificates that have a name of one import.
  'certificates with the same names',
  // Those that have a name of one request.
  'names that another organization has',
  // The deployments of one page of certificates.
  'how far a version has come',
  // Of one page.
  'to whom it was told',
  // The proofs of one order, and of one name.
  'the proofs of an order',
  'the answer for a name',
  // Of one digest.
  'what is sent next',
  // Its last chunks, where hardly more than that is left.
  'parts for another carrier',
  // What a setting has waiting, or one page of it.
  ...Object.keys(ofPushes),
]);

/** They hold operators alone, or open messages: to read all of such an index is to read what is looked for. */
const smallIndex = /using index (account_operator|message_open)\b/i;

/** It reads the first entry of each of its indexes, for `min`, which a plan shows as a scan of the index. */
const readsFirst = 'when something is due';

function allows(question: string, { kind, line }: Waste): boolean {
  if (question === readsFirst && line.startsWith('Index Only Scan')) return true;
  if (line.startsWith('USE TEMP B-TREE FOR LAST') || smallIndex.test(line)) return true;
  return kind !== 'scan' && maySort.has(question);
}

onBothDatabases('a large instance', (open) => {
  test('reads no table as a whole and sorts no rows that an index has in order', async (t) => {
    const database = await open(t);
    await fillAll(database);
    await t.test('as the planner likes', () =>
      assertNoWaste(database, { ...ofCertificates, ...ofIssuing, ...ofPushes, ...ofAlerts }, { isLarge, allows }),
    );
    // Rows of these are so short that the planner would rightly read the tables of a test as a whole.
    await t.test('where the planner must', () =>
      assertNoWaste(database, { ...ofPeople, ...ofMessages }, { isLarge, allows, planner: 'pressed' }),
    );
  });
});
