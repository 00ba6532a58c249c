import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MessageRow } from '../../database/schema/message-tables.ts';
import { delivered, newDelivery, rejected, undelivered, type Verdict } from '../state/message-state.ts';
import { toColumns } from '../state/stored-delivery.ts';
import { type LocatedEvent, planDeliveries } from './delivery-plan.ts';

const runs = { seed: 20_260_322, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000 };
const now = 1_000;

function message(segments = 1, batchId = 'b'): MessageRow {
  return {
    organization_id: 'o',
    batch_id: batchId,
    position: 0,
    mobile: '13800138000',
    number: '+8613800138000',
    segments,
    ...toColumns(newDelivery(segments)),
    carrier_id: null,
    carrier_reason: null,
    simulated: 0,
    accepted_at: 0,
    sent_at: null,
    settled_at: null,
    ends_at: 9_000,
    push_id: null,
    text_cut: null,
  };
}

const at = (part = 0, batchId = 'b') => ({ organizationId: 'o', batchId, position: 0, part });
const taken = (part = 0): LocatedEvent => ({
  kind: 'taken',
  part: at(part),
  carrierId: 'c',
  carrierMessageId: `m${part}`,
  simulated: false,
});
const verdict = (part: number, of: Verdict): LocatedEvent => ({ kind: 'verdict', part: at(part), verdict: of });

test('taken and delivered in one group: one change, settled once', () => {
  const plan = planDeliveries([message()], [taken(), verdict(0, delivered)], now);
  assert.equal(plan.changed.length, 1);
  const [row] = plan.changed;
  assert.deepEqual(
    [row?.parts, row?.status, row?.carrier_id, row?.sent_at, row?.settled_at],
    ['D', 'DELIVRD', 'c', now, now],
  );
  assert.equal(plan.settled.length, 1);
});

test('a message is sent when every part of it is taken or final', () => {
  const first = planDeliveries([message(2)], [taken(0)], now).changed[0];
  assert.deepEqual([first?.parts, first?.sent_at], ['sq', null]);
  const both = planDeliveries([message(2)], [taken(0), taken(1)], now).changed[0];
  assert.deepEqual([both?.parts, both?.sent_at], ['ss', now]);
});

test('a message is marked as simulated as soon as the simulator took one part of it, and only then', () => {
  const simulated: LocatedEvent = { ...taken(0), carrierId: 's', simulated: true } as LocatedEvent;
  // Accepted for the simulator, taken by a carrier that has appeared since.
  const waiting = { ...message(2), simulated: 1 as const };
  const outcomes = [
    [taken(0), taken(1)],
    [simulated, taken(1)],
    [taken(1), simulated],
  ].map((events) => {
    const [row] = planDeliveries([waiting], events, now).changed;
    return [row?.carrier_id, row?.simulated];
  });
  assert.deepEqual(outcomes, [
    ['c', 0],
    ['c', 1],
    ['s', 1],
  ]);
});

test('an event that comes again changes nothing', () => {
  const [settled] = planDeliveries([message()], [taken(), verdict(0, delivered)], now).changed;
  assert.ok(settled !== undefined);
  const plan = planDeliveries([settled], [taken(), verdict(0, delivered)], now + 5);
  assert.deepEqual(plan, { changed: [], settled: [], contradictions: [] });
});

test('what contradicts the final status changes nothing and is told', () => {
  const [settled] = planDeliveries([message()], [taken(), verdict(0, delivered)], now).changed;
  assert.ok(settled !== undefined);
  const plan = planDeliveries([settled], [verdict(0, undelivered)], now + 5);
  assert.deepEqual(plan.settled, []);
  assert.deepEqual(plan.changed, []);
  assert.deepEqual(
    plan.contradictions.map(({ held, came }) => [held.status, came.status]),
    [['DELIVRD', 'UNDELIV']],
  );
});

test('the end of the grace settles what is open, once', () => {
  const over: LocatedEvent = { kind: 'grace-over', message: at() };
  const plan = planDeliveries([message()], [taken(), over, over], now);
  assert.deepEqual(
    plan.settled.map((row) => row.status),
    ['UNDELIV'],
  );
});

test('an event of a message that is gone is passed over', () => {
  const gone: LocatedEvent = { ...taken(), part: at(0, 'gone') } as LocatedEvent;
  assert.deepEqual(planDeliveries([message()], [gone], now), { changed: [], settled: [], contradictions: [] });
});

test('receipts of several segments in any order, cut into any groups, settle once and alike', () => {
  const verdicts = fc.constantFrom(delivered, undelivered, rejected('first'), rejected('second'));
  const story = fc.array(verdicts, { minLength: 2, maxLength: 6 }).chain((parts) =>
    fc.record({
      parts: fc.constant(parts),
      order: fc.shuffledSubarray(
        parts.map((_, part) => part),
        { minLength: parts.length },
      ),
      repeats: fc.array(fc.nat(parts.length - 1), { maxLength: 4 }),
      cut: fc.nat(parts.length),
    }),
  );
  fc.assert(
    fc.property(story, ({ parts, order, repeats, cut }) => {
      const receipts = [...order, ...repeats].map((part) => verdict(part, parts[part] ?? delivered));
      let row = message(parts.length);
      const settled: MessageRow[] = [];
      for (const group of [parts.map((_, part) => taken(part)), receipts.slice(0, cut), receipts.slice(cut)]) {
        const plan = planDeliveries([row], group, now);
        row = plan.changed[0] ?? row;
        settled.push(...plan.settled);
        assert.deepEqual(plan.contradictions, []);
      }
      const refusal = parts.find(({ status }) => status === 'REJECTED');
      const expected = refusal ?? (parts.every(({ status }) => status === 'DELIVRD') ? delivered : undelivered);
      assert.equal(settled.length, 1);
      assert.equal(row.status, expected.status);
      assert.equal(row.memo, expected.status === 'REJECTED' ? expected.memo : null);
    }),
    runs,
  );
});
