import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

const names = ['LISTEN', 'DATA', 'DATABASE_URL', 'TIME_ZONE'];

const cases: readonly [typed: string, meant: string | undefined][] = [
  ['LITSEN', 'LISTEN'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['TIMEZONES', 'TIME_ZONE'],
  ['DATE', 'DATA'],
  ['PORT', undefined],
  ['', undefined],
];

for (const [typed, meant] of cases) {
  test(`"${typed}" most likely means ${meant ?? 'nothing we know'}`, () => {
    assert.equal(nearestName(typed, names), meant);
  });
}
