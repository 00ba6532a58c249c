import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf, spanOf, weeksFrom } from './calendar-days.ts';

test('weeks begin on Monday, and days outside are left empty', () => {
  // A Thursday.
  const weeks = weeksFrom('2026-01-01', 90);
  assert.deepEqual(weeks[0], [null, null, null, '2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']);
  assert.deepEqual(
    weeks.at(-1),
    ['2026-03-30', '2026-03-31', null, null, null, null, null],
    'the ninetieth day is the last one',
  );
  assert.equal(weeks.flat().filter((day) => day !== null).length, 90);
});

test('a day begins where the person is, and today has what is overdue', () => {
  assert.deepEqual(spanOf('2026-01-03', '2026-01-01', 480), {
    since: '2026-01-02T16:00:00.000Z',
    until: '2026-01-03T16:00:00.000Z',
  });
  assert.deepEqual(spanOf('2026-01-01', '2026-01-01', 480), { until: '2026-01-01T16:00:00.000Z' });
  assert.equal(dayOf('2026-01-02T17:00:00Z', 480), '2026-01-03');
});
