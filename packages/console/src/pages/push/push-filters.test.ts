import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushFilters, pushSettingView } from './push-filters.ts';

test('an address keeps what makes sense of the filters and drops the rest', () => {
  const given = {
    kind: 'uplink',
    state: 'failed',
    since: '2026-01-02T03:04:00.000Z',
    until: '2026-01-03T00:00:00.000Z',
  };
  assert.deepEqual(pushFilters(given), given);
  assert.deepEqual(pushFilters({ since: '2026-01-02T11:04+08:00' }), { since: '2026-01-02T03:04:00.000Z' });
  assert.deepEqual(pushFilters({ kind: 'x', state: ['failed'], since: 'yesterday', until: 2026, page: 4 }), {});
});

test('the page of settings shows settings, and an hour, unless its address says otherwise', () => {
  assert.deepEqual(pushSettingView({ tab: 'health', span: '24h' }), { tab: 'health', span: '24h' });
  assert.deepEqual(pushSettingView({ tab: 'settings', span: '2h' }), {});
});
