import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveStepMs } from '../push-health/health-series.ts';
import { type CarrierSample, carrierSample, carrierSeries } from './carrier-samples.ts';

const since = '2026-01-01T00:00:00.000Z';
const connection = (state: 'bound' | 'connecting', window_used: number) => ({
  ...{ state, since, window_used, last_error: null },
});

test('the windows of bound connections count together', () => {
  const connections = [connection('bound', 3), connection('bound', 4), connection('connecting', 0)];
  const sample = carrierSample(
    { waiting_parts: 9, submitted: 20, answered: 18, answer_ms: 90, connections, window: 10 },
    5,
  );
  assert.deepEqual(sample, { at: 5, waiting: 9, submitted: 20, answered: 18, answerMs: 90, underWay: 7, window: 20 });
});

test('the rate is that since the sample before, and unknown where the counts began again', () => {
  const counts = [100, 140, 140, 8, 16];
  const samples = counts.map(
    (submitted, index): CarrierSample => ({
      ...{
        at: 1_000_000 + index * liveStepMs,
        waiting: index,
        submitted,
        answered: submitted,
        answerMs: submitted * (10 + index),
        underWay: 1,
        window: 10,
      },
    }),
  );
  const { times, rate, answerTime, waiting } = carrierSeries(samples);
  assert.equal(times.at(-1), samples.at(-1)?.at);
  assert.deepEqual(rate.slice(-6), [null, null, 10, 0, null, 2]);
  // 1,000 ms for 100 submits, then 1,540 ms for 140.
  assert.deepEqual(answerTime.slice(-6), [null, null, 13.5, null, null, 15]);
  assert.deepEqual(waiting.slice(-6), [null, 0, 1, 2, 3, 4]);
});
