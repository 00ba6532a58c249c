import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  advance,
  type Delivery,
  type DeliveryEvent,
  delivered,
  messageState,
  newDelivery,
  rejected,
  type Step,
  undelivered,
  type Verdict,
} from './message-state.ts';

const runs = { seed: 3, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 2_000 };
const refusal = rejected('carrier error 69');
const submitted = (part: number): DeliveryEvent => ({ kind: 'submitted', part });
const verdict = (part: number, of: Verdict): DeliveryEvent => ({ kind: 'verdict', part, verdict: of });
const graceOver: DeliveryEvent = { kind: 'grace-over' };

function play(
  segments: number,
  events: readonly DeliveryEvent[],
  held: Verdict | undefined = undefined,
): { delivery: Delivery; steps: readonly Step[] } {
  let delivery: Delivery = { ...newDelivery(segments), verdict: held };
  const steps = events.map((event) => {
    const step = advance(delivery, event);
    delivery = step.delivery;
    return step;
  });
  return { delivery, steps };
}

test('one part: queued, sent, settled', () => {
  const { steps } = play(1, [submitted(0), verdict(0, delivered)]);
  assert.equal(messageState(newDelivery(1)), 'queued');
  assert.deepEqual(
    steps.map((step) => [messageState(step.delivery), step.settled, step.delivery.verdict?.status]),
    [
      ['sent', false, undefined],
      ['settled', true, 'DELIVRD'],
    ],
  );
});

test('a receipt that overtakes the submit answer settles, and the answer changes nothing', () => {
  const { delivery, steps } = play(1, [verdict(0, undelivered), submitted(0)]);
  assert.deepEqual(
    steps.map((step) => step.settled),
    [true, false],
  );
  assert.deepEqual(delivery, { parts: [undelivered], verdict: undelivered });
});

test('several parts settle when all are final: delivered when all are, else rejected before undelivered', () => {
  const verdicts = [delivered, undelivered, refusal];
  for (const first of verdicts) {
    for (const second of verdicts) {
      for (const third of verdicts) {
        const all = [first, second, third];
        const { delivery, steps } = play(3, [verdict(2, third), verdict(0, first), verdict(1, second)]);
        const expected = all.includes(refusal) ? refusal : all.includes(undelivered) ? undelivered : delivered;
        assert.deepEqual(
          steps.map((step) => step.settled),
          [false, false, true],
        );
        assert.deepEqual(delivery.verdict, expected);
      }
    }
  }
});

test('the memo is that of the first refused part', () => {
  const { delivery } = play(2, [verdict(1, rejected('second')), verdict(0, rejected('first'))]);
  assert.deepEqual(delivery.verdict, { status: 'REJECTED', memo: 'first' });
});

test('when the grace is over, what is missing counts as not received', () => {
  assert.deepEqual(play(1, [graceOver]).delivery.verdict, undelivered);
  assert.deepEqual(play(2, [verdict(0, delivered), submitted(1), graceOver]).delivery.verdict, undelivered);
  assert.deepEqual(play(2, [verdict(0, refusal), graceOver]).delivery.verdict, refusal);
  assert.equal(play(1, [verdict(0, delivered), graceOver]).steps[1]?.settled, false);
});

test('a later verdict that says something else is reported and changes nothing', () => {
  const { delivery, steps } = play(1, [verdict(0, delivered), verdict(0, undelivered), verdict(0, delivered)]);
  assert.deepEqual(steps[1]?.contradiction, { held: delivered, came: undelivered });
  assert.equal(steps[2]?.contradiction, undefined);
  assert.deepEqual(delivery.verdict, delivered);
  const late = play(1, [graceOver, verdict(0, delivered)]);
  assert.deepEqual(late.steps[1]?.contradiction, { held: undelivered, came: delivered });
});

test('a message that we refused when it was accepted stays refused', () => {
  const { delivery, steps } = play(3, [submitted(0), verdict(0, delivered)], refusal);
  assert.deepEqual(
    steps.map((step) => step.settled),
    [false, false],
  );
  assert.deepEqual(steps[1]?.contradiction, { held: refusal, came: delivered });
  assert.deepEqual(delivery.verdict, refusal);
});

test('a part that the message does not have is a fault of the caller', () => {
  assert.throws(() => advance(newDelivery(1), submitted(1)), RangeError);
  assert.throws(() => advance(newDelivery(1), verdict(-1, delivered)), RangeError);
});

test('a memo is never empty, never long, and one line', () => {
  const memoOf = (reason: string): string => {
    const made = rejected(reason);
    return made.status === 'REJECTED' ? made.memo : '';
  };
  assert.equal(memoOf(' blocked\r\n\0word '), 'blocked word');
  assert.equal(memoOf(' \n '), 'no reason given');
  assert.equal([...memoOf('😀'.repeat(500))].length, 200);
  assert.ok(memoOf(`\ud800${'😀'.repeat(500)}`).isWellFormed());
});

test(`whatever happens, in whatever order: settled exactly once, and never changed after (seed ${runs.seed})`, () => {
  const segments = fc.integer({ min: 1, max: 4 });
  const anyVerdict = fc.constantFrom(delivered, undelivered, refusal);
  const history = segments.chain((count) => {
    const part = fc.nat({ max: count - 1 });
    const event: fc.Arbitrary<DeliveryEvent> = fc.oneof(
      part.map(submitted),
      fc.tuple(part, anyVerdict).map(([index, of]) => verdict(index, of)),
      fc.constant(graceOver),
    );
    return fc.tuple(fc.constant(count), fc.array(event, { maxLength: 16 }));
  });
  fc.assert(
    fc.property(history, ([count, events]) => {
      const { delivery, steps } = play(count, [...events, graceOver]);
      const at = steps.findIndex((step) => step.settled);
      assert.equal(steps.filter((step) => step.settled).length, 1);
      for (const [index, step] of steps.entries()) {
        assert.deepEqual(step.delivery.verdict, index < at ? undefined : delivery.verdict);
        assert.equal(messageState(step.delivery) === 'settled', index >= at);
        assert.ok(
          step.contradiction === undefined || step.contradiction.held.status !== step.contradiction.came.status,
        );
      }
      for (const step of play(count, [...events, graceOver], refusal).steps) {
        assert.equal(step.settled, false);
        assert.deepEqual(step.delivery.verdict, refusal);
        assert.equal(messageState(step.delivery), 'settled');
      }
    }),
    runs,
  );
});
