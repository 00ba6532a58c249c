import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 9, 21, 7, 28, 0);

test('Retry-After is read in each form of RFC 9110', () => {
  const date = Date.UTC(1994, 10, 6, 8, 49, 37);
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    assert.equal(parseRetryAfter(text, now), date, text);
  }
  assert.equal(parseRetryAfter('Wednesday, 21-Oct-26 07:28:00 GMT', now), now);
  assert.equal(parseRetryAfter('Tuesday, 21-Oct-76 07:28:00 GMT', now), Date.UTC(2076, 9, 21, 7, 28));
  assert.equal(parseRetryAfter('Friday, 21-Oct-77 07:28:00 GMT', now), Date.UTC(1977, 9, 21, 7, 28));
  assert.equal(parseRetryAfter(' 120 ', now), now + 120_000);
  assert.equal(parseRetryAfter('0', now), now);
  for (const text of [
    '',
    'tomorrow',
    '-1',
    '+1',
    '1e3',
    '2026-10-21',
    'Wed, 21 Oct 2026 07:28:00',
    'Wed, 99 Oct 2026 07:28:00 GMT',
  ]) {
    assert.equal(parseRetryAfter(text, now), undefined, text);
  }
});
