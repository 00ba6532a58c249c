import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSince } from './first-since.ts';

/** Numbers 5 to 9 with times 50, 60, 60, 80, 90, of which some may be removed. */
const times = new Map([
  [5, 50],
  [6, 60],
  [7, 60],
  [8, 80],
  [9, 90],
]);
const timeOf = (removedTo: number) => async (number: number) => (number > removedTo ? times.get(number) : undefined);

for (const [since, expected] of [
  [0, 5],
  [50, 5],
  [51, 6],
  [60, 6],
  [61, 8],
  [90, 9],
  [91, 10],
] as const) {
  test(`the first since ${since} is ${expected}`, async () => {
    assert.equal(await firstSince({ first: 5, last: 9 }, since, timeOf(0)), expected);
  });
}

test('what was removed meanwhile is older', async () => {
  assert.equal(await firstSince({ first: 5, last: 9 }, 0, timeOf(6)), 7);
});

test('nothing is found in nothing, and nothing is asked', async () => {
  assert.equal(await firstSince({ first: 5, last: 4 }, 0, () => assert.fail()), 5);
});

test('a million are looked up twenty times', async () => {
  let lookUps = 0;
  const found = await firstSince({ first: 1, last: 1_000_000 }, 777_777, async (number) => {
    lookUps += 1;
    return number;
  });
  assert.equal(found, 777_777);
  assert.ok(lookUps <= 20, `${lookUps}`);
});
