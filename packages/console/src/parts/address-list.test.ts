import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitsEverybody, splitAddresses } from './address-list.ts';

test('addresses are told apart by whatever people put between them', () => {
  assert.deepEqual(splitAddresses(['203.0.113.7, 2001:db8::/32', '198.51.100.1；198.51.100.2\n203.0.113.7', ' ']), [
    '203.0.113.7',
    '2001:db8::/32',
    '198.51.100.1',
    '198.51.100.2',
  ]);
});

const lists: readonly [entries: readonly string[], everybody: boolean][] = [
  [[], false],
  [['203.0.113.0/24', '::1'], false],
  [['10.0.0.0/8'], false],
  [['0.0.0.0/0'], true],
  [['203.0.113.7', '::/0'], true],
  [['0:0:0:0:0:0:0:0/0'], true],
  [['0.0.0.0/00'], true],
  [['0.0.0.0/1'], false],
  [['0.0.0.0/1', '128.0.0.0/1'], true],
  [['8000::/1', '::/1'], true],
];

for (const [entries, everybody] of lists) {
  test(`[${entries.join(' ')}] ${everybody ? 'admits' : 'does not admit'} everybody`, () => {
    assert.equal(admitsEverybody(entries), everybody);
  });
}
