import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushMinuteRow } from '../../database/schema/push-tables.ts';
import { bucketBounds, bucketNames, bucketOf, figuresOf, seriesOf } from './push-figures.ts';

function minuteOf(durations: readonly number[], delivered = durations.length): PushMinuteRow {
  const row = { organization_id: 'o', setting_id: 's', minute: 1, delivered } as PushMinuteRow;
  for (const name of bucketNames) row[name] = 0;
  for (const ms of durations) row[bucketNames[bucketOf(ms)] ?? 'b0'] += 1;
  return row;
}

test('each duration has one bucket, those beyond the last bound too', () => {
  assert.deepEqual([0, 10, 11, 30_000, 31_000].map(bucketOf), [0, 0, 1, 13, 13]);
  assert.equal(bucketNames.length, bucketBounds.length);
});

test('without an attempt there is no percentile', () => {
  assert.deepEqual(figuresOf([]), { attempts: 0, delivered: 0, p50_ms: null, p95_ms: null, p99_ms: null });
});

test('percentiles lie in the bucket of the attempt they mean', () => {
  const durations = Array.from({ length: 100 }, (_, index) => (index < 90 ? 60 : index < 98 ? 300 : 4_000));
  const { attempts, p50_ms, p95_ms, p99_ms } = figuresOf([
    minuteOf(durations.slice(0, 50)),
    minuteOf(durations.slice(50)),
  ]);
  assert.equal(attempts, 100);
  for (const [value, least, most] of [
    [p50_ms, 50, 75],
    [p95_ms, 200, 350],
    [p99_ms, 2_000, 5_000],
  ] as const) {
    assert.ok(value !== null && value > least && value <= most, `${value} of ${least} to ${most}`);
  }
});

test('a span is told in steps; what lies before it, and steps without an attempt, are left out', () => {
  const now = 10_000;
  const rows = [9_939, 9_940, 9_941, 9_998, now].map((minute) => ({ ...minuteOf([10, 10], 1), minute }));
  const at = (minute: number) => new Date(minute * 60_000).toISOString();
  const hour = seriesOf(rows, '1h', now);
  assert.equal(hour.from, at(9_941));
  assert.deepEqual(
    hour.points.map((point) => [point.at, point.attempts, point.delivered]),
    [9_941, 9_998, now].map((minute) => [at(minute), 2, 1]),
  );
  const sixHours = seriesOf(rows, '6h', now);
  assert.equal(sixHours.from, at(now - 71 * 5));
  assert.deepEqual(
    sixHours.points.map((point) => [point.at, point.attempts]),
    [
      [at(9_935), 2],
      [at(9_940), 4],
      [at(9_995), 2],
      [at(now), 2],
    ],
  );
  assert.deepEqual(seriesOf([], '24h', now).points, []);
});
