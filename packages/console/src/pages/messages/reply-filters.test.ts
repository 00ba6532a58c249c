import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyFilters, replyQuery } from './reply-filters.ts';

test('filters of replies come out of the address and go into the query', () => {
  assert.deepEqual(replyFilters({ search: 13800138000, stop: 'yes', page: 2 }), { search: '13800138000', stop: 'yes' });
  assert.deepEqual(replyFilters({ search: ' ', stop: true }), {});
  assert.deepEqual(replyQuery({ search: '+86138', stop: 'no' }), { mobile: '+86138', stop: false });
  assert.deepEqual(replyQuery({}), {});
});
