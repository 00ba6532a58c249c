import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditFilters, isIdForm } from './audit-filters.ts';

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

test('an id can be a subject, a name or a domain that was typed can not', () => {
  const texts = [
    '01a1f0aa-7c1e-7d53-9f3c-2f6a2f1d9d11',
    '9f3c2f6a2f1d9d11',
    'shop',
    'example.com',
    'web-server-01',
    '2026',
    '',
  ];
  assert.deepEqual(texts.map(isIdForm), [true, true, false, false, false, false, false]);
});
