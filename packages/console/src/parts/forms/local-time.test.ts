import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromLocalField, timeText, toLocalField } from './local-time.ts';

test('a time goes through the field and comes back to the minute', () => {
  for (const at of ['2026-01-31T08:05:00.000Z', '2026-07-31T23:59:00.000Z', '1999-12-31T12:30:00.000Z']) {
    assert.match(toLocalField(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    assert.equal(fromLocalField(toLocalField(at)), at);
  }
  assert.equal(fromLocalField(toLocalField('2026-01-31T08:05:42.123Z')), '2026-01-31T08:05:00.000Z');
});

test('no time is an empty field, and the other way round', () => {
  for (const none of [null, undefined, 'tomorrow']) assert.equal(toLocalField(none), '');
  for (const none of ['', 'tomorrow']) assert.equal(fromLocalField(none), undefined);
});

test('a year that is typed halfway makes no time', () => {
  for (const year of ['0002', '0020', '0202', '1969']) assert.equal(fromLocalField(`${year}-06-01T00:00`), undefined);
  assert.equal(fromLocalField('1970-06-01T00:00')?.slice(0, 4), '1970');
});

test('only a time in the address is a time', () => {
  assert.equal(timeText('2026-01-31T08:05:00Z'), '2026-01-31T08:05:00.000Z');
  for (const none of ['soon', 17, null, {}]) assert.equal(timeText(none), undefined);
});
