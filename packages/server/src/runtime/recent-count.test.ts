import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecentCount } from './recent-count.ts';

const minute = 60_000;

test('the last five whole minutes count, and the one under way does not', () => {
  let time = 7 * minute + 59_999;
  const count = createRecentCount({ monotonic: () => time });
  count.add(3);
  assert.equal(count.sum(), 0);
  time += 1;
  assert.equal(count.sum(), 3);
  count.add(4);
  count.add(1);
  time += minute;
  assert.equal(count.sum(), 8);
  time = 12 * minute + minute - 1;
  assert.equal(count.sum(), 8, 'the minutes 7 to 11');
  time += 1;
  assert.equal(count.sum(), 5, 'the minutes 8 to 12');
  time += minute;
  assert.equal(count.sum(), 0);
});

test('what happened long ago does not count with what happens now, although its place is the same', () => {
  let time = 0;
  const count = createRecentCount({ monotonic: () => time });
  count.add(100);
  time = 6 * minute;
  count.add(1);
  time = 7 * minute;
  assert.equal(count.sum(), 1);
});
