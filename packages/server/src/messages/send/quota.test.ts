import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Allowance, dayOf, takeFromDay, takeFromRate } from './quota.ts';

const runs = { seed: 429, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000 };

function allowanceAfter(held: Allowance | undefined, perSecond: number, messages: number, now: number): Allowance {
  const decision = takeFromRate(held, perSecond, messages, now);
  assert.ok(decision.allowed);
  return decision.allowance;
}

test('a second has as many messages as the quota says', () => {
  let allowance: Allowance | undefined;
  for (let sent = 0; sent < 5; sent++) allowance = allowanceAfter(allowance, 5, 1, 0);
  assert.deepEqual(takeFromRate(allowance, 5, 1, 0), { allowed: false, retryAfterSeconds: 1 });
  assert.equal(takeFromRate(allowance, 5, 1, 199).allowed, false);
  assert.equal(takeFromRate(allowance, 5, 1, 200).allowed, true);
});

test('idle time saves up one second at most', () => {
  const first = allowanceAfter(undefined, 10, 1, 0);
  const later = allowanceAfter(first, 10, 10, 3_600_000);
  assert.equal(later.messages, 0);
});

test('a batch larger than the quota goes, and the next waits until it is paid', () => {
  const owing = allowanceAfter(undefined, 100, 1000, 0);
  assert.deepEqual(takeFromRate(owing, 100, 1, 0), { allowed: false, retryAfterSeconds: 10 });
  assert.deepEqual(takeFromRate(owing, 100, 1, 8_500), { allowed: false, retryAfterSeconds: 1 });
  assert.equal(takeFromRate(owing, 100, 1, 9_009).allowed, false);
  assert.equal(takeFromRate(owing, 100, 1, 9_010).allowed, true);
});

test('without a quota everything goes, and a quota set later starts with nothing owed', () => {
  const decision = takeFromRate({ messages: -1e9, at: 0 }, undefined, 1000, 5);
  assert.deepEqual(decision, { allowed: true, allowance: { messages: 0, at: 5 } });
});

test(`no stretch of time lets through more than its seconds and one batch (seed ${runs.seed})`, () => {
  const request = fc.record({ afterMs: fc.nat({ max: 3_000 }), messages: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(request, { maxLength: 60 }), (perSecond, requests) => {
      let now = 0;
      let sent = 0;
      let largest = 0;
      let allowance: Allowance | undefined;
      for (const { afterMs, messages } of requests) {
        now += afterMs;
        const decision = takeFromRate(allowance, perSecond, messages, now);
        if (!decision.allowed) {
          assert.ok(Number.isInteger(decision.retryAfterSeconds) && decision.retryAfterSeconds >= 1);
          assert.ok(takeFromRate(allowance, perSecond, 1, now + decision.retryAfterSeconds * 1000).allowed);
          continue;
        }
        allowance = decision.allowance;
        sent += messages;
        largest = Math.max(largest, messages);
        assert.ok(sent <= perSecond * (1 + now / 1000) + largest + 1e-6, `${sent} messages in ${now} ms`);
      }
    }),
    runs,
  );
});

test('the first messages of a batch go until the day is used up', () => {
  const noon = Date.UTC(2026, 0, 15, 12);
  const first = takeFromDay(undefined, 10, 8, noon);
  assert.deepEqual(first, { granted: 8, usage: { day: '2026-01-15', used: 8 } });
  const second = takeFromDay(first.usage, 10, 8, noon);
  assert.deepEqual(second, { granted: 2, usage: { day: '2026-01-15', used: 10 } });
  assert.deepEqual(takeFromDay(second.usage, 10, 1, noon), { granted: 0, usage: second.usage });
  assert.deepEqual(takeFromDay(second.usage, 5, 1, noon), { granted: 0, usage: second.usage });
  assert.equal(takeFromDay(second.usage, undefined, 1000, noon).usage.used, 1010);
});

test('the day begins anew at midnight UTC', () => {
  const midnight = Date.UTC(2026, 0, 16);
  assert.equal(dayOf(midnight - 1), '2026-01-15');
  const usage = { day: '2026-01-15', used: 10 };
  assert.equal(takeFromDay(usage, 10, 1, midnight - 1).granted, 0);
  assert.deepEqual(takeFromDay(usage, 10, 3, midnight), { granted: 3, usage: { day: '2026-01-16', used: 3 } });
});
