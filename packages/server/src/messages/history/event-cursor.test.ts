import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../runtime/problem.ts';
import { formatCursor, parseCursor, startOfPage } from './event-cursor.ts';

const isInvalid = (error: unknown) =>
  error instanceof Problem && error.code === 'invalid_parameter' && error.field === 'after';

test('a cursor gives its number back', () => {
  for (const number of [0, 1, 35, 36, 1_000_000, 3_656_158_440_062_975]) {
    assert.equal(parseCursor(formatCursor(number)), number);
  }
});

test('what was never a cursor is refused', () => {
  for (const text of ['', 'e', '1', 'e-1', 'e1.5', 'E1', 'e01', 'e1 ', 'ezzzzzzzzzzz', '../x', 'e１']) {
    assert.throws(() => parseCursor(text), isInvalid, text);
  }
});

test('a page begins behind its cursor, and without one at the oldest event that is kept', () => {
  assert.equal(startOfPage(undefined, { latest: 9, forgotten: 4 }), 4);
  assert.equal(startOfPage(4, { latest: 9, forgotten: 4 }), 4);
  assert.equal(startOfPage(9, { latest: 9, forgotten: 4 }), 9);
});

test('a cursor behind which events were removed has expired; one from the future was never given', () => {
  assert.throws(
    () => startOfPage(3, { latest: 9, forgotten: 4 }),
    (error: unknown) => error instanceof Problem && error.code === 'cursor_expired',
  );
  assert.throws(() => startOfPage(10, { latest: 9, forgotten: 4 }), isInvalid);
});
