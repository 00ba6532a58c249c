import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expiresAt } from './expires-at.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_106 };

test('a moment is shown in the time zone asked for', () => {
  const moment = Date.UTC(2026, 6, 1, 16, 5, 9, 999);
  assert.equal(expiresAt(moment, 'UTC'), '2026-07-01 16:05:09');
  assert.equal(expiresAt(moment, 'Asia/Shanghai'), '2026-07-02 00:05:09');
  assert.equal(expiresAt(moment, 'America/New_York'), '2026-07-01 12:05:09');
  assert.equal(expiresAt(moment, 'Asia/Kathmandu'), '2026-07-01 21:50:09');
});

test('midnight is 00, of the day that begins', () => {
  assert.equal(expiresAt(Date.UTC(2026, 0, 1), 'UTC'), '2026-01-01 00:00:00');
  assert.equal(expiresAt(Date.UTC(2026, 0, 1) - 1, 'UTC'), '2025-12-31 23:59:59');
  assert.equal(expiresAt(Date.UTC(2026, 0, 1, 16), 'Asia/Shanghai'), '2026-01-02 00:00:00');
});

test('daylight saving time is followed', () => {
  const berlin = (hour: number) => expiresAt(Date.UTC(2026, 2, 29, hour), 'Europe/Berlin');
  assert.deepEqual([berlin(0), berlin(1)], ['2026-03-29 01:00:00', '2026-03-29 03:00:00']);
  const autumn = (hour: number) => expiresAt(Date.UTC(2026, 9, 25, hour), 'Europe/Berlin');
  assert.deepEqual([autumn(0), autumn(1)], ['2026-10-25 02:00:00', '2026-10-25 02:00:00'], 'the hour that comes twice');
});

test('years keep four digits: early ones are padded, and nothing is later than the end of 9999', () => {
  assert.equal(expiresAt(new Date('0099-01-02T03:04:05Z').getTime(), 'UTC'), '0099-01-02 03:04:05');
  const end = Date.UTC(9999, 11, 31, 23, 59, 59);
  assert.equal(expiresAt(end, 'UTC'), '9999-12-31 23:59:59');
  assert.equal(expiresAt(end, 'Asia/Shanghai'), '9999-12-31 23:59:59');
  assert.equal(expiresAt(end, 'America/New_York'), '9999-12-31 18:59:59');
  assert.equal(expiresAt(end + 1_000, 'UTC'), '9999-12-31 23:59:59');
});

test('an unknown time zone and no moment at all are errors', () => {
  assert.throws(() => expiresAt(0, 'Mars/Olympus'), RangeError);
  assert.throws(() => expiresAt(Number.NaN, 'UTC'), RangeError);
});

test('in UTC it is what toISOString says', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.equal(expiresAt(date.getTime(), 'UTC'), date.toISOString().slice(0, 19).replace('T', ' '));
    }),
    runs,
  );
});
