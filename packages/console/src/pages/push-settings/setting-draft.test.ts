import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields, conflictsOf, rebased, type SettingDraft, updateOf } from './setting-draft.ts';

const base: SettingDraft = { enabled: false, url: 'https://a.b/', timeout_seconds: 10, retries: 3, concurrency: 64 };

test('only what was changed is asked for, and nothing while a field is empty', () => {
  assert.deepEqual(changedFields(base, base), []);
  assert.deepEqual(updateOf(base, { ...base, enabled: true, retries: 0 }), { enabled: true, retries: 0 });
  assert.equal(updateOf(base, { ...base, retries: null }), undefined);
  assert.equal(updateOf(base, { ...base, url: '' }), undefined);
});

test('what I changed stays on top of what somebody else has made of the rest', () => {
  const mine = { ...base, retries: 5 };
  const theirs = { ...base, url: 'https://c.d/', retries: 7 };
  assert.deepEqual(rebased(mine, base, theirs), { ...theirs, retries: 5 });
});

test('somebody else’s change is a conflict unless the draft says the same', () => {
  const mine = { ...base, retries: 5 };
  assert.deepEqual(conflictsOf(mine, base, { ...base, retries: 5 }), [], 'what I have just saved');
  assert.deepEqual(conflictsOf(mine, base, { ...base, retries: 7 }), ['retries']);
  assert.deepEqual(conflictsOf(mine, base, { ...base, url: 'https://c.d/' }), ['url']);
  assert.deepEqual(conflictsOf(mine, base, base), []);
});
