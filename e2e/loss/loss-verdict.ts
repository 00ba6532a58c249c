/**
 * The no-loss oracle: compares the knowledge of customers, carriers and receivers with the database when nothing is
 * open. Each function throws an AssertionError with the first lost, doubled or invented item.
 */
import assert from 'node:assert/strict';
import type { MessageRow } from '../../packages/server/src/database/schema/message-tables.ts';
import type { PushHistoryRow } from '../../packages/server/src/database/schema/push-tables.ts';
import type { FinalState } from './final-state.ts';
import type { Ledger, SentRequest } from './message-load.ts';
import type { Arrival } from './push-recorder.ts';

/** A time in which one process makes the attempts. */
export interface Life {
  /** Epoch milliseconds. */
  readonly from: number;
  /** When it was killed; undefined for an orderly end. */
  readonly killedAt?: number;
  /** How many outcomes of one push may be unrecorded at its end: 1 after a kill. */
  readonly unrecorded: number;
}

export interface PushCounts {
  readonly delivered: number;
  readonly failed: number;
  /** Recorded outcomes. */
  readonly recorded: number;
  readonly arrivals: number;
  /** Arrivals of attempts without a recorded outcome. */
  readonly unrecorded: number;
  /** Second arrivals of one attempt, on a new connection after the old one ended without a byte. */
  readonly sentAgain: number;
  /** How long before the kill the oldest lost outcome was answered, ms. */
  readonly oldestLostMs: number;
  /** Arrivals answered 200 after their push's first 200. */
  readonly duplicates: number;
}

/** Each accepted request is one whole batch. An unanswered one is whole, or does not exist. */
export function checkRequests(ledger: Ledger, state: FinalState): void {
  const batches = Map.groupBy(state.batches, ({ content }) => content);
  const messages = Map.groupBy(state.messages, ({ batch_id }) => batch_id);
  for (const request of ledger.requests) {
    const made = batches.get(request.content) ?? [];
    const named = new Set(request.answers);
    const what = `${request.content} (${request.idempotencyKey ?? 'no key'})`;
    assert.ok(made.length <= 1, `${what} became ${made.length} batches`);
    assert.ok(named.size <= 1, `${what} was answered with ${named.size} batches`);
    for (const id of named) assert.equal(made[0]?.id, id, `${what} was answered 200 and is gone`);
    if (request.idempotencyKey !== undefined) assert.equal(named.size, 1, `${what} was never answered`);
    for (const { id, messages: total } of made) checkWhole(request, id, total, messages.get(id) ?? []);
  }
  const texts = new Set(ledger.requests.map(({ content }) => content));
  for (const { content } of state.batches) assert.ok(texts.has(content), `nobody sent ${content}`);
}

function checkWhole({ sender, mobiles }: SentRequest, id: string, total: number, rows: readonly MessageRow[]): void {
  assert.equal(total, mobiles.length);
  assert.deepEqual(
    rows.map(({ mobile }) => mobile),
    mobiles,
    `batch ${id} is not whole`,
  );
  for (const row of rows) {
    assert.ok(row.status !== null, `message ${row.mobile} of batch ${id} has no final status`);
    assert.equal(row.memo !== null, row.status === 'REJECTED');
    if (row.mobile === sender.optedOut) assert.equal(row.status, 'REJECTED');
    else assert.ok(isPossible(row), `${row.mobile} ended as ${row.status}`);
  }
}

/** The simulator's documented numbers. A crash may decide which of two contradicting receipts is first. */
function isPossible({ mobile, status }: MessageRow): boolean {
  switch (mobile.slice(-4)) {
    case '0000':
    case '0005':
    case '0007':
      return status === 'DELIVRD';
    case '0001':
      return status === 'UNDELIV';
    case '0002':
      return status === 'REJECTED';
    default:
      return true;
  }
}

/** Each acknowledged reply exists once, an unacknowledged one at most once. */
export function checkReplies(ledger: Ledger, state: FinalState): void {
  const kept = Map.groupBy(state.replies, ({ content }) => content);
  for (const { text, acknowledged } of ledger.replies) {
    const times = kept.get(text)?.length ?? 0;
    assert.ok(times === 1 || (times === 0 && !acknowledged), `${text} is kept ${times} times`);
  }
  for (const { content, organization_id } of state.replies) {
    assert.notEqual(organization_id, '', `${content} is nobody's`);
  }
}

/** Each final status and each reply is one event, without a gap in the numbers. */
export function checkEvents(state: FinalState): void {
  const expected = [
    ...state.messages.map(({ organization_id, batch_id, position }) => [organization_id, batch_id, position].join()),
    ...state.replies.map(({ organization_id, id }) => [organization_id, id, 0].join()),
  ];
  const listed = state.events.map(({ organization_id, subject_id, position }) =>
    [organization_id, subject_id, position].join(),
  );
  assert.deepEqual(listed.sort(), expected.sort());
  for (const [organization, events] of Map.groupBy(state.events, ({ organization_id }) => organization_id)) {
    assert.deepEqual(
      events.map(({ number }) => number),
      events.map((_, index) => index + 1),
    );
    assert.equal(state.counters.get(organization), events.length);
  }
}

/**
 * Each final status and each reply is one ended push: delivered by a recorded 200 of the receiver, or failed after
 * exactly its budget of recorded outcomes. An arrival without a record was cut off with its process.
 */
export function checkPushes(state: FinalState, arrivals: readonly Arrival[], lives: readonly Life[]): PushCounts {
  const arrived = Map.groupBy(arrivals, ({ pushId }) => pushId);
  const former = Map.groupBy(state.attempts, ({ push_id }) => push_id);
  checkOnePushEach(state);
  const counts = {
    delivered: 0,
    failed: 0,
    recorded: 0,
    arrivals: arrivals.length,
    unrecorded: 0,
    sentAgain: 0,
    oldestLostMs: 0,
    duplicates: 0,
  };
  for (const push of state.history) {
    const attempts: Recorded[] = [...(former.get(push.id) ?? []), ...lastOf(push)];
    const came = arrived.get(push.id) ?? [];
    checkEnd(push, attempts, came, state);
    const { unrecorded, sentAgain, oldestLostMs } = countUnrecorded(push.id, attempts, came, lives);
    const duplicates = Math.max(0, came.filter(isGiven200).length - 1);
    const late = attempts.filter(({ outcome }) => outcome === 'timedOut').length;
    const hung = came.filter(({ answer }) => answer === 'hang').length;
    assert.ok(
      duplicates <= unrecorded + Math.max(0, late - hung),
      `push ${push.id} was answered 200 ${duplicates + 1} times, and ${unrecorded} of its attempts are unrecorded`,
    );
    if (push.state === 'delivered') counts.delivered += 1;
    else counts.failed += 1;
    counts.recorded += attempts.length;
    counts.unrecorded += unrecorded;
    counts.sentAgain += sentAgain;
    counts.oldestLostMs = Math.max(counts.oldestLostMs, oldestLostMs);
    counts.duplicates += duplicates;
  }
  const known = new Set(state.history.map(({ id }) => id));
  for (const { pushId } of arrivals) assert.ok(known.has(pushId), `push ${pushId} arrived, and there is no such push`);
  return counts;
}

type Recorded = Pick<PushHistoryRow, 'at' | 'outcome' | 'status'>;

const isGiven200 = ({ answer, answeredAt }: Arrival): boolean =>
  answeredAt !== undefined && (answer === 'ok' || answer === 'slow');

function lastOf(push: PushHistoryRow): Recorded[] {
  return push.outcome === null ? [] : [push];
}

function checkOnePushEach(state: FinalState): void {
  const byId = new Map(state.history.map((push) => [push.id, push]));
  for (const { batch_id, mobile, status, memo, push_id } of state.messages) {
    const push = byId.get(push_id ?? '');
    assert.ok(push, `the status of ${mobile} in batch ${batch_id} was never pushed`);
    const expected = { batch_id, mobile, status, ...(memo === null ? {} : { memo }) };
    assert.deepEqual(JSON.parse(push.payload), expected);
  }
  const isUplink = (push: PushHistoryRow) => state.settings.get(push.setting_id)?.kind === 'uplink';
  const uplinks = state.history
    .filter(isUplink)
    .map(({ payload }) => (JSON.parse(payload) as { message: string }).message);
  assert.deepEqual(uplinks.sort(), state.replies.map(({ content }) => content).sort());
  assert.equal(state.history.length, state.messages.length + state.replies.length, 'a push has no cause');
}

function checkEnd(push: PushHistoryRow, attempts: readonly Recorded[], came: readonly Arrival[], state: FinalState) {
  const what = `push ${push.id} (${push.state})`;
  assert.equal(push.attempts, attempts.length, `${what} counts ${push.attempts} of ${attempts.length} outcomes`);
  const is200 = ({ outcome, status }: Recorded) => outcome === 'answered' && status === 200;
  const successes = attempts.filter(is200).length;
  if (push.state === 'delivered') {
    assert.ok(successes === 1 && is200(push), `${what} ended without a 200`);
    assert.ok(came.some(isGiven200), `${what} was never answered 200`);
    return;
  }
  assert.equal(push.state, 'failed', what);
  const setting = state.settings.get(push.setting_id);
  assert.equal(attempts.length, (setting?.retries ?? -1) + 1, `${what} had another budget`);
  assert.equal(successes, 0, `${what} was answered 200`);
}

/** A process makes no second attempt of a push before it has recorded the first. */
function countUnrecorded(
  id: string,
  attempts: readonly Recorded[],
  came: readonly Arrival[],
  lives: readonly Life[],
): Pick<PushCounts, 'unrecorded' | 'sentAgain' | 'oldestLostMs'> {
  const counts = { unrecorded: 0, sentAgain: 0, oldestLostMs: 0 };
  for (const [index, life] of lives.entries()) {
    const until = lives[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const isIn = ({ at }: { readonly at: number | null }) => at !== null && at >= life.from && at < until;
    const here = came.filter(isIn);
    const more = Math.max(0, here.length - attempts.filter(isIn).length);
    const sentAgain = Math.min(more, here.filter(({ mayComeTwice }) => mayComeTwice).length);
    const unrecorded = more - sentAgain;
    const seen = () => JSON.stringify({ came, attempts: attempts.map(({ at, outcome }) => ({ at, outcome })), lives });
    assert.ok(unrecorded <= life.unrecorded, `push ${id} came too often in life ${index}: ${seen()}`);
    counts.unrecorded += unrecorded;
    counts.sentAgain += sentAgain;
    const answeredAt = here.at(-1)?.answeredAt;
    if (unrecorded > 0 && life.killedAt !== undefined && answeredAt !== undefined) {
      counts.oldestLostMs = Math.max(counts.oldestLostMs, life.killedAt - answeredAt);
    }
  }
  return counts;
}
