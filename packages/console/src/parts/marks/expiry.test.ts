import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiryOf } from './expiry.ts';

const now = Date.UTC(2026, 0, 31);
const cases: readonly [at: string, days: number, nearness: string][] = [
  ['2026-01-30T23:59:59Z', -1, 'past'],
  ['2026-01-31T00:00:00Z', 0, 'urgent'],
  ['2026-02-06T23:59:59Z', 6, 'urgent'],
  ['2026-02-07T00:00:00Z', 7, 'soon'],
  ['2026-03-01T23:59:59Z', 29, 'soon'],
  ['2026-03-02T00:00:00Z', 30, 'far'],
  ['2027-01-31T00:00:00Z', 365, 'far'],
];

for (const [at, days, nearness] of cases) {
  test(`what ends at ${at} is ${nearness}`, () => {
    assert.deepEqual(expiryOf(at, now), { days, nearness });
  });
}
