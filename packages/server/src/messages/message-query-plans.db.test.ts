import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../database/connect.ts';
import { assertNoWaste, fillTable, type Questions, type Waste } from '../database/query-plan.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { addingUsage, findIdempotencyKeys } from './accept-store.ts';
import { findBlockedWords, listBlockedNumbers, listBlockedWords, listOptOuts } from './blocked-list-store.ts';
import { readNumberLists } from './content-lists.ts';
import {
  deletingParts,
  deletingPartsOf,
  findAdoptable,
  findEnded,
  findingCarrierMessages,
  findingOrphans,
  lockingMessages,
  postponingParts,
  removingOrphans,
  updatingMessages,
} from './delivery-store.ts';
import { appendingEvents } from './event-log.ts';
import { listEvents } from './list-events.ts';
import { newDelivery } from './message-state.ts';
import {
  findBatch,
  findCarrierMessagesOf,
  findLatestMessage,
  findMessage,
  findMessagesOf,
  findQueuedPartsOf,
  listMessages,
} from './message-store.ts';
import { findMessagingKeys, listMessagingKeys } from './messaging-key-store.ts';
import { findDueParts, findOpenMessages, moveParts, pullForward } from './part-queue-store.ts';
import { findReplies } from './reply-store.ts';
import {
  deleteBatches,
  deleteEvents,
  deleteOrphans,
  deleteReferences,
  deleteReplies,
  deleteUsage,
  nextOrganization,
} from './retention-store.ts';
import { toColumns } from './stored-delivery.ts';

const organizations = 200;
const rowsEach = 20_000;

const text = (prefix: string, number: number) => `${prefix}${String(number).padStart(8, '0')}`;
const organizationOf = (number: number) => text('o', number % organizations);
/** Few messages are open, few things are old: as in an instance that has run for long. */
const isRare = (number: number) => number % 100 === 0;
const someTime = { acceptedSince: 1_000, acceptedBefore: 1_800_000_000_000 };
const refOf = (number: number) => ({ organizationId: organizationOf(number), batchId: text('b', number), position: 0 });
const partOf = (number: number) => ({ ...refOf(number), part: 0 });
/** A planner finds it cheaper to read the whole of a table that has few pages. */
const content = 'x'.repeat(500);

const message = (n: number) => ({
  organization_id: organizationOf(n),
  batch_id: text('b', n),
  position: 0,
  mobile: text('+86', n % 5_000),
  number: text('+86', n % 5_000),
  segments: 1,
  ...toColumns(newDelivery(1)),
  parts: isRare(n) ? 's' : 'D',
  status: isRare(n) ? null : ('DELIVRD' as const),
  carrier_id: 'c',
  simulated: 0 as const,
  accepted_at: n,
  sent_at: n,
  settled_at: isRare(n) ? null : n,
  ends_at: n,
  push_id: null,
});

async function fillAll(database: Database): Promise<void> {
  const organization_id = organizationOf;
  await fillTable(database, 'message_batch', rowsEach, (n) => ({
    organization_id: organization_id(n),
    id: text('b', n),
    key_id: 'k',
    content,
    sender: null,
    messages: 1,
    accepted_at: n,
  }));
  await fillTable(database, 'message', rowsEach, message);
  await fillTable(database, 'message_part', rowsEach, (n) => ({
    organization_id: organization_id(n),
    batch_id: text('b', n),
    position: 0,
    part: 0,
    carrier_id: text('c', n % 3),
    number: text('+86', n),
    due_at: n,
    valid_until: n,
    attempts: 0,
    unanswered: 0,
  }));
  await fillTable(database, 'carrier_message', rowsEach, (n) => ({
    carrier_id: 'c',
    carrier_message_id: text('m', n),
    organization_id: organization_id(n),
    batch_id: text('b', n),
    position: 0,
    part: 0,
    sent_at: n,
  }));
  await fillTable(database, 'orphan_receipt', rowsEach, (n) => ({
    carrier_id: 'c',
    carrier_message_id: text('x', n),
    status: 'DELIVRD',
    memo: null,
    received_at: n,
  }));
  await fillTable(database, 'reply', rowsEach, (n) => ({
    organization_id: organization_id(n),
    id: text('r', n),
    carrier_id: 'c',
    sender: text('+86', n),
    recipient: '106',
    content,
    owned_by: 'number',
    stop: 0,
    simulated: 0,
    received_at: n,
    push_id: null,
  }));
  await fillTable(database, 'message_counter', organizations, (n) => ({
    organization_id: organization_id(n),
    value: rowsEach / organizations,
    forgotten: 0,
  }));
  await fillTable(database, 'message_event', rowsEach, (n) => ({
    organization_id: organization_id(n),
    number: 1 + Math.floor(n / organizations),
    kind: n % 2 === 0 ? 'status' : 'reply',
    subject_id: text(n % 2 === 0 ? 'b' : 'r', n),
    position: 0,
    at: n,
  }));
  await fillTable(database, 'idempotency_key', rowsEach, (n) => ({
    organization_id: organization_id(n),
    key_id: 'k',
    idempotency_key: text('i', n),
    fingerprint: 'f',
    batch_id: text('b', n),
    answered_at: n,
  }));
  await fillTable(database, 'daily_usage', rowsEach, (n) => ({
    organization_id: organization_id(n),
    day: text('', n),
    used: 1,
  }));
  await fillTable(database, 'messaging_key', rowsEach, (n) => ({
    organization_id: organization_id(n),
    id: text('k', n),
    name: 'name',
    enabled: 1,
    permitted: 1,
    query_token: 1,
    allow_list: '[]',
    expires_at: null,
    created_at: n,
    updated_at: n,
  }));
  const listed = (n: number) => ({ organization_id: organization_id(n), number: text('+86', n), created_at: n });
  await fillTable(database, 'opt_out', rowsEach, (n) => ({ ...listed(n), source: 'manual' }));
  await fillTable(database, 'blocked_number', rowsEach, listed);
  await fillTable(database, 'blocked_word', rowsEach, (n) => ({
    organization_id: organization_id(n),
    word: text('w', n),
    created_at: n,
  }));
}

const large: ReadonlySet<string> = new Set([
  'message_batch',
  'message',
  'message_part',
  'carrier_message',
  'orphan_receipt',
  'reply',
  'message_event',
  'idempotency_key',
  'daily_usage',
  'messaging_key',
  'opt_out',
  'blocked_number',
  'blocked_word',
  // As statements call them.
  'm',
  'o',
  'b',
  'r',
  'c',
  'i',
]);

const numbers = Array.from({ length: 100 }, (_, index) => index * 7);
const refs = numbers.map(refOf);
const parts = numbers.map(partOf);
const keys = numbers.map((n) => ({ carrierId: 'c', carrierMessageId: text('m', n) }));
const organizationId = organizationOf(7);
const page = { organizationId, limit: 100 };
const orphans = numbers.map((n) => ({
  carrier_id: 'c',
  carrier_message_id: text('x', n),
  status: 'DELIVRD' as const,
  memo: null,
  received_at: n,
}));
const openKey = { ends_at: 10_000, organization_id: organizationOf(7), batch_id: text('b', 7), position: 0 };
const changed = numbers.map((n) => ({ ...message(n), newPushId: text('p', n) }));

/** All that the message gateway asks, of tables that grow with an instance. */
const questions: Questions = {
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
    postponingParts(
      database,
      parts.map((part) => ({ part, dueAt: 1, attempts: 1, unanswered: 0 })),
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
  'a page of events': (database) => listEvents(database, { ...page, after: 10 }),
  'a batch': async ({ db }) => {
    const batch = await findBatch(db, organizationId, text('b', 7));
    assert.ok(batch !== undefined);
    return findMessagesOf(db, batch);
  },
  'who wrote to a number last': ({ db }) => findLatestMessage(db, text('+86', 7), 10),
  'the newest messages': ({ db }) => listMessages(db, page),
  'the newest messages before a batch': ({ db }) => listMessages(db, { ...page, before: text('b', 15_000) }),
  'the newest messages to a number': ({ db }) => listMessages(db, { ...page, number: text('+86', 7) }),
  'the newest messages to a number within a time': ({ db }) =>
    listMessages(db, { ...page, number: text('+86', 7), ...someTime }),
  'the newest messages within a time': ({ db }) => listMessages(db, { ...page, ...someTime }),
  'the newest open messages within a time': ({ db }) => listMessages(db, { ...page, status: 'open', ...someTime }),
  'the newest open messages': ({ db }) => listMessages(db, { ...page, status: 'open', before: text('b', 15_000) }),
  'the newest messages that were rejected': ({ db }) =>
    listMessages(db, { ...page, status: 'REJECTED', before: text('b', 15_000), behind: 3 }),
  'a message with its parts': async ({ db }) => {
    const found = await findMessage(db, organizationId, text('b', 7), 0);
    assert.ok(found !== undefined);
    await findCarrierMessagesOf(db, found);
    await findQueuedPartsOf(db, found);
  },
  'the messages of a batch with a status': ({ db }) =>
    listMessages(db, { ...page, batchId: text('b', 7), status: 'DELIVRD' }),
  'replies of an organization': ({ db }) => findReplies(db, { ...page, before: text('r', 15_000) }),
  'parts that are due': ({ db }) => findDueParts(db, text('c', 1), rowsEach, 200),
  'parts that are due, going on': ({ db }) => findDueParts(db, text('c', 1), rowsEach, 200, rowsEach - 1),
  'parts that are due too late': ({ db }) => pullForward(db, text('c', 1), { latest: rowsEach - 10, now: 1 }),
  'parts for another carrier': ({ db }) => moveParts(db, text('c', 1), 'other'),
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
};

/** It holds open messages alone: to read all of it is to read what is looked for. */
const indexOfOpen = /using index message_open\b/i;

/** They put in order what one group has, or one organization's words: few rows. */
const maySort: ReadonlySet<string> = new Set(['what carriers mean', 'the messages of events', 'blocked words']);

const rules = {
  isLarge: (table: string) => large.has(table),
  planner: 'pressed',
  allows: (question: string, { kind, line }: Waste) =>
    line.startsWith('USE TEMP B-TREE FOR LAST') || (kind !== 'scan' && maySort.has(question)) || indexOfOpen.test(line),
} as const;

onBothDatabases('the message gateway of a large instance', (open) => {
  test('reads no table as a whole and sorts no rows that an index has in order', async (t) => {
    const database = await open(t);
    await fillAll(database);
    await assertNoWaste(database, questions, rules);
  });
});
