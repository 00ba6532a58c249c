import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockedFilter, numberFilter, numberQuery } from './number-filter.ts';

test('lists of numbers are narrowed down to one by the address', () => {
  assert.deepEqual(numberFilter({ search: 13800138000 }), { search: '13800138000' });
  assert.deepEqual(numberFilter({ search: '' }), {});
  assert.deepEqual(numberQuery({ search: '+86138' }), { number: '+86138' });
  assert.deepEqual(numberQuery({}), {});
  assert.deepEqual(blockedFilter({ tab: 'words', search: ' ' }), { tab: 'words' });
  assert.deepEqual(blockedFilter({ tab: 'routes' }), {});
});
