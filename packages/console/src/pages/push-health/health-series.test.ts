import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthSeries, liveSeries, liveStepMs, withSample } from './health-series.ts';

const from = '2026-01-02T03:00:00.000Z';
const point = (at: string, attempts: number, delivered: number) => ({
  ...{ at, attempts, delivered, p50_ms: 10, p95_ms: 20, p99_ms: 30 },
});

test('each step of a span has its place, and those without an attempt have no figure', () => {
  const points = [point('2026-01-02T03:05:00.000Z', 4, 3), point('2026-01-02T03:10:00.000Z', 2, 0)];
  const series = healthSeries({ from, step_minutes: 5, steps: 4, points });
  assert.deepEqual(
    series.times.map((time) => new Date(time).toISOString().slice(11, 16)),
    ['03:00', '03:05', '03:10', '03:15'],
  );
  assert.deepEqual(series.delivered, [null, 3, 0, null]);
  assert.deepEqual(series.failed, [null, 1, 2, null]);
  assert.deepEqual(series.success, [null, 75, 0, null]);
  assert.deepEqual([series.p50[1], series.p95[1], series.p99[1], series.p99[3]], [10, 20, 30, null]);
});

test('what was seen is kept for a while, and once each', () => {
  const sample = (at: number) => ({ at, waiting: at, running: 0, window: null });
  let samples = withSample([], sample(0));
  assert.equal(withSample(samples, sample(0)).length, 1);
  for (let at = 1; at <= 200; at += 1) samples = withSample(samples, sample(at));
  assert.deepEqual([samples.length, samples[0]?.at, samples.at(-1)?.at], [75, 126, 200]);
});

test('what was seen stands where its time is, the latest last', () => {
  const last = 1_000_000;
  const sample = (at: number, waiting: number) => ({ at, waiting, running: 1, window: null });
  const steps = [sample(last - 3 * liveStepMs + 900, 7), sample(last - liveStepMs, 8), sample(last, 9)];
  const { times, waiting, running, window } = liveSeries(steps);
  assert.deepEqual([times.length, times.at(-1), times.at(-2)], [75, last, last - liveStepMs]);
  assert.deepEqual(waiting.slice(-5), [null, 7, null, 8, 9]);
  assert.deepEqual([running.at(-1), running.at(-3), window.at(-1)], [1, null, null]);
  assert.ok(liveSeries([]).waiting.every((value) => value === null));
});
