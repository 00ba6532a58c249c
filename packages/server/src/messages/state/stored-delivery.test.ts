import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { advance, type DeliveryEvent, delivered, newDelivery, rejected, undelivered } from './message-state.ts';
import { toColumns, toDelivery, toVerdict } from './stored-delivery.ts';

const runs = { seed: 20_260_321, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000 };

test('a message of one part is one letter', () => {
  assert.deepEqual(toColumns(newDelivery(1)), { parts: 'q', memos: null, status: null, memo: null });
  const refused = advance(newDelivery(1), { kind: 'verdict', part: 0, verdict: rejected('no route') }).delivery;
  assert.deepEqual(toColumns(refused), {
    parts: 'R',
    memos: '["no route"]',
    status: 'REJECTED',
    memo: 'no route',
  });
});

test('the reasons of several rejected parts stay with their parts', () => {
  let delivery = newDelivery(3);
  for (const [part, reason] of [
    [2, 'third'],
    [0, 'first'],
  ] as const) {
    delivery = advance(delivery, { kind: 'verdict', part, verdict: rejected(reason) }).delivery;
  }
  assert.equal(toColumns(delivery).memos, '["first","third"]');
  assert.deepEqual(toDelivery(toColumns(delivery)), delivery);
});

test('whatever happens to a message, its columns give it back', () => {
  const verdict = fc.oneof(
    fc.constant(delivered),
    fc.constant(undelivered),
    fc.string({ unit: 'binary' }).map((reason) => rejected(reason)),
  );
  const event: fc.Arbitrary<DeliveryEvent> = fc.oneof(
    fc.record({ kind: fc.constant('submitted' as const), part: fc.nat(3) }),
    fc.record({ kind: fc.constant('verdict' as const), part: fc.nat(3), verdict }),
    fc.constant({ kind: 'grace-over' as const }),
  );
  fc.assert(
    fc.property(fc.option(verdict, { nil: undefined }), fc.array(event, { maxLength: 12 }), (refusal, events) => {
      let delivery = { ...newDelivery(4), verdict: refusal };
      for (const each of events) {
        delivery = advance(delivery, each).delivery;
        assert.deepEqual(toDelivery(toColumns(delivery)), delivery);
      }
    }),
    runs,
  );
});

test('what is stored otherwise is refused, not guessed', () => {
  assert.throws(() => toDelivery({ parts: 'x', memos: null, status: null, memo: null }), RangeError);
  assert.throws(() => toVerdict('REJECTED', null), RangeError);
});
