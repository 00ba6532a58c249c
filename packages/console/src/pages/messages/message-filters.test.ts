import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageFilters, messageQuery } from './message-filters.ts';

test('an address that makes no sense narrows nothing down', () => {
  assert.deepEqual(messageFilters({ search: '', status: 'lost', since: 'soon', until: 5, page: 3 }), {});
});

test('filters go through the address as they are', () => {
  const filters = {
    search: '+86 138 0013 8000',
    status: 'REJECTED',
    since: '2026-01-31T08:05:00.000Z',
    until: '2026-02-01T00:00:00.000Z',
  } as const;
  assert.deepEqual(messageFilters(filters), filters);
  assert.deepEqual(messageQuery(filters), {
    mobile: '+86 138 0013 8000',
    status: 'REJECTED',
    accepted_since: filters.since,
    accepted_before: filters.until,
  });
});

test('what is searched for is a number, or else the id of a batch', () => {
  for (const number of ['13800138000', '+44 (20) 7946-0958', '138.0013.8000'])
    assert.deepEqual(messageQuery({ search: number }), { mobile: number });
  for (const id of ['019aa8f2-0d5b-7c31-9d0e-5c1f2a3b4c5d', '01900000-0000-7000-8000-000000000000'])
    assert.deepEqual(messageQuery({ search: id }), { batch_id: id });
});
