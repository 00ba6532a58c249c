import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchBounded } from './bounded-search.ts';

const list = (length: number) => Array.from({ length }, (_, number) => number);
const reading = (all: readonly number[]) => async (after: number | undefined, limit: number) =>
  all.filter((number) => after === undefined || number > after).slice(0, limit);

test('what is wanted is found in its order, and no more than is wanted', async () => {
  const found = await searchBounded({ read: reading(list(1_000)), wanted: (number) => number % 7 === 0, take: 3 });
  assert.deepEqual(found, { rows: [0, 7, 14] });
});

test('a list that ends was looked through as a whole', async () => {
  const found = await searchBounded({ read: reading(list(900)), wanted: (number) => number === 899, take: 3 });
  assert.deepEqual(found, { rows: [899] });
});

test('rows that cost more are fewer to look at, and fewer are read at once where that is asked for', async () => {
  const limits: number[] = [];
  const found = await searchBounded<number>({
    read(after, limit) {
      limits.push(limit);
      return reading(list(6_000))(after, limit);
    },
    wanted: () => false,
    take: 300,
    most: 1_000,
    atOnce: 50,
    cost: (number) => (number < 50 ? 1 : 12),
  });
  assert.deepEqual(found, { rows: [], reached: 149 });
  assert.deepEqual(limits, [50, 50, 50]);
});

test('a long list is left where the looking ends, and goes on there', async () => {
  const read = reading(list(6_000));
  const wanted = (number: number) => number === 5_999;
  const first = await searchBounded({ read, wanted, take: 3 });
  assert.deepEqual(first, { rows: [], reached: 999 });
  const second = await searchBounded({
    read: (after, limit) => read(after ?? first.reached, limit),
    wanted,
    take: 3,
  });
  assert.deepEqual(second, { rows: [], reached: 1_999 });
});
