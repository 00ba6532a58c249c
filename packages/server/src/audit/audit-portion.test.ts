import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portionEnd } from './audit-portion.ts';

const cases: readonly [name: string, entries: readonly number[], end: number | undefined][] = [
  ['nothing is no portion', [], undefined],
  ['all that is there, when it is little', [1, 2, 3], 3],
  ['up to the last link that fits', [4, 4, 2, 1], 3],
  ['a link with more entries is a portion of its own', [25, 1], 1],
  ['and does not join those before it', [1, 25], 1],
];

for (const [name, entries, end] of cases) {
  test(name, () => {
    const links = entries.map((count, index) => ({ link: index + 1, entries: count }));
    assert.equal(portionEnd(links, 10), end);
  });
}
