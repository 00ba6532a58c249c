import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromLocalMoment, toLocalMoment } from './local-moment.ts';

test('a moment goes into a field and comes out of it to the minute', () => {
  for (const at of ['2026-01-31T23:59:00.000Z', '2026-07-01T00:00:00.000Z', '1999-12-31T12:30:00.000Z']) {
    assert.equal(fromLocalMoment(toLocalMoment(at)), at);
  }
  assert.equal(fromLocalMoment(toLocalMoment('2026-01-02T03:04:59.999Z')), '2026-01-02T03:04:00.000Z');
  assert.match(toLocalMoment('2026-01-02T03:04:05Z'), /^2026-01-0[123]T\d\d:\d\d$/);
});

test('what is typed halfway is no moment', () => {
  for (const text of ['', '0002-01-01T00:00', 'soon']) assert.equal(fromLocalMoment(text), undefined);
});
