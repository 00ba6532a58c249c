import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOrders, mostIssued, mostOrders, type OrderLimit, type PlacedOrder } from './order-limit.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = 100 * hour;

const failed = (...minutesAgo: number[]): PlacedOrder[] =>
  minutesAgo.map((each) => ({ placedAt: now - each * minute, isIssued: false }));
const issued = (...minutesAgo: number[]): PlacedOrder[] =>
  minutesAgo.map((each) => ({ placedAt: now - each * minute, isIssued: true }));

const cases: readonly [name: string, placed: PlacedOrder[], limit: OrderLimit | undefined][] = [
  ['nothing was ordered before', [], undefined],
  ['the order a moment ago failed', failed(0), undefined],
  ['a certificate was issued a moment ago', issued(0), undefined],
  ['four of five orders failed', failed(50, 40, 30, 20), undefined],
  ['five orders failed', failed(50, 40, 30, 20, 10), { most: mostOrders, until: now + 10 * minute }],
  ['six orders failed', failed(50, 40, 30, 20, 10, 5), { most: mostOrders, until: now + 20 * minute }],
  ['the first of five was an hour ago', failed(60, 40, 30, 20, 10), undefined],
  ['three were issued', issued(45, 2, 1), { most: mostIssued, until: now + 15 * minute }],
  ['the first of three was issued an hour ago', issued(60, 2, 1), undefined],
  [
    'both limits are reached: the later one counts',
    [...issued(30, 20, 10), ...failed(59, 58)],
    { most: mostIssued, until: now + 30 * minute },
  ],
];

for (const [name, placed, limit] of cases) {
  test(`when people may order again: ${name}`, () => {
    assert.deepEqual(limitOrders(placed, now), limit);
    assert.deepEqual(limitOrders(placed.toReversed(), now), limit);
  });
}
