import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitsEverybody } from './admits-everybody.ts';

const lists: readonly [entries: readonly string[], everybody: boolean][] = [
  [[], false],
  [['203.0.113.0/24', '::1'], false],
  [['10.0.0.0/8'], false],
  [['0.0.0.0/0'], true],
  [[' 0.0.0.0/0 '], true],
  [['203.0.113.7', '::/0'], true],
  [['0:0:0:0:0:0:0:0/0'], true],
  [['0.0.0.0/00'], true],
  [['::ffff:0.0.0.0/96'], true],
  [['0:0:0:0:0:FFFF:0:0/96'], true],
  [['::ffff:10.0.0.0/96'], false],
  [['64:ff9b::/96'], false],
  [['0.0.0.0/1'], false],
  [['0.0.0.0/1', '128.0.0.0/1'], true],
  [['8000::/1', '::/1'], true],
];

for (const [entries, everybody] of lists) {
  test(`[${entries.join(' ')}] ${everybody ? 'admits' : 'does not admit'} everybody`, () => {
    assert.equal(admitsEverybody(entries), everybody);
  });
}
