import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitAddresses } from './address-list.ts';

test('addresses are told apart by whatever people put between them', () => {
  assert.deepEqual(splitAddresses(['203.0.113.7, 2001:db8::/32', '198.51.100.1；198.51.100.2\n203.0.113.7', ' ']), [
    '203.0.113.7',
    '2001:db8::/32',
    '198.51.100.1',
    '198.51.100.2',
  ]);
});
