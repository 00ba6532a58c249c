import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, type FailedRequest } from './after-failure.ts';

const now = 1_000_000_000;
const minute = 60_000;
const failed = (more: Partial<FailedRequest>) =>
  afterFailure(
    { authorities: 1, authorityIndex: 0, attempts: 1, lastIntentAt: () => null, retryAfterMs: null, ...more },
    now,
  );

test('one authority is asked again after growing waits', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempts) => (failed({ attempts }).at - now) / minute);
  assert.deepEqual(waits, [10, 30, 60, 120, 240, 480, 720, 720, 720]);
});

test('no second order is placed within the hour of the first', () => {
  assert.equal(failed({ lastIntentAt: () => now - minute }).at, now + 59 * minute);
});

test('the pause that the authority asks for is kept', () => {
  assert.equal(failed({ retryAfterMs: 180 * minute }).at, now + 180 * minute);
});

test('the next authority is asked at once, and the round is over after the last', () => {
  const two = { authorities: 2, authorityIndex: 0, attempts: 1, retryAfterMs: 180 * minute };
  assert.deepEqual(failed(two), { authorityIndex: 1, at: now, isRoundOver: false });
  const second = failed({ ...two, authorityIndex: 1, attempts: 2, retryAfterMs: null });
  assert.deepEqual(second, { authorityIndex: 0, at: now + 10 * minute, isRoundOver: true });
});

test('after a success a round begins where the list begins', () => {
  const third = failed({ authorities: 2, authorityIndex: 1, attempts: 4 });
  assert.deepEqual(third, { authorityIndex: 0, at: now + 30 * minute, isRoundOver: true });
});
