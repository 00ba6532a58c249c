import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, type FailedRequest } from './after-failure.ts';

const now = 1_000_000_000;
const minute = 60_000;
const refused = { type: 'unauthorized', temporary: false, retryAfterMs: null };
const limited = { type: 'rateLimited', temporary: true, retryAfterMs: 180 * minute };
const away = { type: 'notSent', temporary: true, retryAfterMs: null };
const one: FailedRequest = {
  ...{ failure: refused, authorities: 1, authorityIndex: 0, attempts: 1, authorityFailures: 1 },
  lastIntentAt: () => null,
};
const failed = (more: Partial<FailedRequest>) => afterFailure({ ...one, ...more }, now, () => 0.5);

test('one authority is asked again after growing waits', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempts) => (failed({ attempts }).at - now) / minute);
  assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 240, 240, 240]);
});

test('no second order is placed within the hour of the first', () => {
  assert.equal(failed({ lastIntentAt: () => now - minute }).at, now + 59 * minute);
});

test('the pause that the authority asks for is kept', () => {
  assert.equal(failed({ failure: limited }).at, now + 180 * minute);
});

test('an authority that is away rests, and no certificate waits for the hour', () => {
  const { at, authorityAt } = failed({ failure: away });
  assert.deepEqual([at, authorityAt], [now + minute / 2, now + minute / 2]);
  assert.equal(failed({ failure: away, attempts: 9, authorityFailures: 50 }).at, now + 30 * minute);
  assert.equal(failed({}).authorityAt, null);
});

test('the next authority is asked at once, and the round is over after the last', () => {
  const two = { authorities: 2, authorityIndex: 0, attempts: 1, failure: limited };
  assert.deepEqual(failed(two), { authorityIndex: 1, at: now, authorityAt: now + minute / 2, isRoundOver: false });
  const second = failed({ ...two, authorityIndex: 1, attempts: 2, failure: away });
  const rest = now + minute / 2;
  assert.deepEqual(second, { authorityIndex: 0, at: now + 5 * minute, authorityAt: rest, isRoundOver: true });
});

test('after a success a round begins where the list begins', () => {
  const third = failed({ authorities: 2, authorityIndex: 1, attempts: 4 });
  assert.deepEqual(third, { authorityIndex: 0, at: now + 10 * minute, authorityAt: null, isRoundOver: true });
});
