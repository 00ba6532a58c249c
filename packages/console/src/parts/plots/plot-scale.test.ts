import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ceilingOf, lineThrough } from './plot-scale.ts';

test('a scale ends at a round number that nothing is above', () => {
  const cases: readonly (readonly [readonly (number | null)[], number])[] = [
    [[], 1],
    [[null, 0], 1],
    [[1], 1],
    [[3, null, 2], 5],
    [[10], 10],
    [[11], 20],
    [[4_999], 5_000],
    [[5_001], 10_000],
  ];
  for (const [values, expected] of cases) assert.equal(ceilingOf(values), expected, JSON.stringify(values));
});

test('a line is broken where there is no figure, and a figure alone is a dot', () => {
  const places = [
    { x: 0, y: 1 },
    { x: 1, y: 2.04 },
    undefined,
    { x: 3, y: 4 },
    undefined,
    { x: 5, y: 6 },
    { x: 6, y: 7 },
  ];
  assert.deepEqual(lineThrough(places), { path: 'M0 1L1 2M5 6L6 7', alone: [{ x: 3, y: 4 }] });
  assert.deepEqual(lineThrough([undefined]), { path: '', alone: [] });
});
