import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portionEnds } from './audit-portion.ts';

const cases: readonly [name: string, entries: readonly number[], ends: readonly number[]][] = [
  ['nothing is no portion', [], []],
  ['all that is there, when it is little', [1, 2, 3], [3]],
  ['up to the last link that fits', [4, 4, 2, 1], [3, 4]],
  ['a link with more entries is a portion of its own', [25, 1], [1, 2]],
  ['and does not join those before it', [1, 25, 25, 4, 5], [1, 2, 3, 5]],
];

for (const [name, entries, ends] of cases) {
  test(name, () => {
    const links = entries.map((count, index) => ({ link: index + 1, entries: count }));
    assert.deepEqual(portionEnds(links, 10), ends);
  });
}
