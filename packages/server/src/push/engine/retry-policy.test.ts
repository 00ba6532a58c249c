import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Outcome } from '../../outbound/outcome.ts';
import { MAXIMUM_PAUSE_MS, nextStep, type RetryPolicy, spread } from './retry-policy.ts';

const defaultRetryPolicy: RetryPolicy = { retries: 3, waits: [30_000, 120_000, 600_000, 1_800_000] };

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000, seed: 20_260_205 };
const now = Date.UTC(2026, 9, 21, 7, 28, 0);
const middle = () => 0.5;

const failures: readonly Outcome[] = [
  ...[201, 204, 301, 302, 404, 429, 500, 503].map((status) => ({ kind: 'answered', status, ms: 1 }) as const),
  { kind: 'timedOut', ms: 1 },
  { kind: 'refused', code: 'ECONNREFUSED', ms: 1 },
  { kind: 'blocked', why: 'not-public', ms: 1 },
  { kind: 'broken', code: 'ECONNRESET', ms: 1 },
  { kind: 'badCertificate', code: 'CERT_HAS_EXPIRED', ms: 1 },
  { kind: 'unresolved', code: 'ENOTFOUND', ms: 1 },
];

test('status 200 is delivered, at any attempt', () => {
  for (const recorded of [0, 3, 99]) {
    const step = nextStep({ kind: 'answered', status: 200, ms: 1 }, recorded, defaultRetryPolicy, now, middle);
    assert.deepEqual(step, { kind: 'delivered' });
  }
});

test('everything else is tried again after 30 s, 2 min and 10 min, and then has failed', () => {
  for (const outcome of failures) {
    const steps = [0, 1, 2, 3].map((recorded) => nextStep(outcome, recorded, defaultRetryPolicy, now, middle));
    assert.deepEqual(steps, [
      { kind: 'retryAt', at: now + 30_000 },
      { kind: 'retryAt', at: now + 120_000 },
      { kind: 'retryAt', at: now + 600_000 },
      { kind: 'failed' },
    ]);
  }
});

test('the last wait repeats', () => {
  const waits = [3, 4, 9].map((recorded) => nextStep(timeOut, recorded, policy({ retries: 10 }), now, middle));
  assert.deepEqual(waits, [
    { kind: 'retryAt', at: now + 1_800_000 },
    { kind: 'retryAt', at: now + 1_800_000 },
    { kind: 'retryAt', at: now + 1_800_000 },
  ]);
  assert.deepEqual(nextStep(timeOut, 10, policy({ retries: 10 }), now, middle), { kind: 'failed' });
  assert.deepEqual(nextStep(timeOut, 7, policy({ retries: 10, waits: [5000] }), now, middle), {
    kind: 'retryAt',
    at: now + 5000,
  });
});

test('without retries the first failure is the last', () => {
  assert.deepEqual(nextStep(timeOut, 0, policy({ retries: 0 }), now, middle), { kind: 'failed' });
});

test('an attempt that we ended ourselves costs nothing, whatever was recorded', () => {
  for (const recorded of [0, 3, 99]) {
    assert.deepEqual(nextStep({ kind: 'cutOff', ms: 1 }, recorded, defaultRetryPolicy, now, middle), {
      kind: 'laneStep',
    });
  }
});

test('Retry-After of a 429 or 503 pauses the lane, at most for an hour, and never hastens a retry', () => {
  const step = (status: number, retryAfter: string, recorded = 0) =>
    nextStep({ kind: 'answered', status, retryAfter, ms: 1 }, recorded, defaultRetryPolicy, now, middle);
  const until = now + 90_000;
  assert.deepEqual(step(429, '90'), { kind: 'retryAt', at: until, pauseLaneUntil: until });
  assert.deepEqual(step(503, 'Wed, 21 Oct 2026 07:29:30 GMT'), { kind: 'retryAt', at: until, pauseLaneUntil: until });
  assert.deepEqual(step(429, '5'), { kind: 'retryAt', at: now + 30_000, pauseLaneUntil: now + 5000 });
  const longest = now + MAXIMUM_PAUSE_MS;
  for (const long of ['3601', '9'.repeat(64), 'Wed, 21 Oct 2099 07:28:00 GMT']) {
    assert.deepEqual(step(503, long), { kind: 'retryAt', at: longest, pauseLaneUntil: longest }, long);
  }
  assert.deepEqual(step(429, '90', 3), { kind: 'failed', pauseLaneUntil: until });
  for (const nothing of ['0', 'soon', '', '-1', '1.5', 'Wed, 21 Oct 2020 07:28:00 GMT']) {
    assert.deepEqual(step(503, nothing), { kind: 'retryAt', at: now + 30_000 }, nothing);
  }
  for (const status of [301, 404, 500]) assert.deepEqual(step(status, '90'), { kind: 'retryAt', at: now + 30_000 });
});

test('a budget of N retries is N + 1 recorded outcomes, with waits within 20 % of their length', () => {
  const waits = fc.array(fc.integer({ min: 1000, max: 3_600_000 }), { minLength: 1, maxLength: 6 });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const outcomes = fc.array(fc.constantFrom<Outcome>(...failures, { kind: 'cutOff', ms: 1 }), {
    minLength: 40,
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 }), waits, chance, outcomes, (retries, lengths, draw, happened) => {
      let recorded = 0;
      let hasFailed = false;
      for (const outcome of happened) {
        const step = nextStep(outcome, recorded, { retries, waits: lengths }, now, () => draw);
        assert.equal(step.kind === 'laneStep', outcome.kind === 'cutOff');
        if (step.kind === 'laneStep') continue;
        const wait = lengths[Math.min(recorded, lengths.length - 1)] ?? 0;
        recorded++;
        hasFailed = step.kind === 'failed';
        if (hasFailed) break;
        assert.ok(step.kind === 'retryAt');
        assert.ok(Math.abs(step.at - now - wait) <= wait * 0.2 + 1);
      }
      assert.equal(hasFailed, recorded === retries + 1);
      assert.ok(recorded <= retries + 1);
    }),
    runs,
  );
});

test('a wait is spread over its whole range', () => {
  assert.equal(
    spread(1000, () => 0),
    800,
  );
  assert.equal(
    spread(1000, () => 0.5),
    1000,
  );
  assert.equal(
    spread(1000, () => 0.9999),
    1200,
  );
});

const timeOut: Outcome = { kind: 'timedOut', ms: 1 };

function policy(parts: Partial<RetryPolicy>): RetryPolicy {
  return { ...defaultRetryPolicy, ...parts };
}
