import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditFilters, withFilter } from './audit-filters.ts';

test('what an address says counts as far as it makes sense', () => {
  assert.deepEqual(
    auditFilters({
      ...{ actor: ' account:1 ', action: 'deployment.', subject: 7, since: '2026-01-31T08:00:00+08:00' },
      ...{ until: 'yesterday', organization: '', more: 'x' },
    }),
    { actor: 'account:1', action: 'deployment.', subject: '7', since: '2026-01-31T00:00:00.000Z' },
  );
  assert.equal(auditFilters({ actor: 'a'.repeat(500) }).actor?.length, 200);
});

test('a filter is added, changed and taken away', () => {
  const one = withFilter({ actor: 'cli' }, { action: 'audit.' });
  assert.deepEqual(one, { actor: 'cli', action: 'audit.' });
  assert.deepEqual(withFilter(one, { actor: undefined, action: 'x' }), { action: 'x' });
});
