import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeText } from './time-text.ts';

test('only a time in the address is a time', () => {
  assert.equal(timeText('2026-01-31T08:05:00Z'), '2026-01-31T08:05:00.000Z');
  for (const none of ['soon', 17, null, {}, undefined]) assert.equal(timeText(none), undefined);
});
