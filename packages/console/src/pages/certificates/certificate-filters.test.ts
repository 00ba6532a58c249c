import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateFilters, certificateQuery } from './certificate-filters.ts';

test('an address keeps what makes sense and drops the rest', () => {
  const given = { search: 'a.example', state: 'issued', expiring: 30 };
  assert.deepEqual(certificateFilters(given), given);
  assert.deepEqual(certificateFilters({ search: 2026 }), { search: '2026' });
  assert.deepEqual(certificateFilters({ search: '', state: 'x', expiring: -1, page: 4 }), {});
  assert.deepEqual(certificateFilters({ expiring: 'soon', search: ['a'] }), {});
});

test('what ends within a day is asked for by the end of the next day', () => {
  const now = Date.UTC(2026, 0, 1, 15);
  assert.deepEqual(certificateQuery({ expiring: 1 }, now), { expires_before: '2026-01-03T00:00:00.000Z' });
  assert.deepEqual(certificateQuery({ search: 'x', state: 'failed' }, now), { search: 'x', state: 'failed' });
});
