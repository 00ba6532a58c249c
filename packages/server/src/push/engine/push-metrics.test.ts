import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { createPushMetrics } from './push-metrics.ts';

const gauges = () => ({ shards: 1, lanes: 2, running: 3, inMemory: 4, probing: 5 });

test('what is counted between two readings is added to what was read before', async () => {
  const registry = new Registry();
  const metrics = createPushMetrics(registry, gauges, () => undefined);
  assert.doesNotMatch(await registry.metrics(), /^waxwing_push_attempts_total\{/m);
  metrics.attempted({ kind: 'answered', status: 200, ms: 4 });
  metrics.attempted({ kind: 'answered', status: 204, ms: 4 });
  metrics.attempted({ kind: 'timedOut', ms: 10_000 });
  metrics.ended('delivered');
  const first = await registry.metrics();
  assert.match(first, /^waxwing_push_attempts_total\{outcome="2xx"\} 2$/m);
  assert.match(first, /^waxwing_push_attempts_total\{outcome="timedOut"\} 1$/m);
  assert.match(first, /^waxwing_pushes_ended_total\{state="delivered"\} 1$/m);
  metrics.attempted({ kind: 'timedOut', ms: 10_000 });
  const second = await registry.metrics();
  assert.match(second, /^waxwing_push_attempts_total\{outcome="2xx"\} 2$/m);
  assert.match(second, /^waxwing_push_attempts_total\{outcome="timedOut"\} 2$/m);
  assert.match(second, /^waxwing_push_in_memory 4$/m);
});

test('a process that makes no pushes tells no age of a look', async () => {
  const registry = new Registry();
  let age: number | undefined;
  createPushMetrics(registry, gauges, () => age);
  const sample = /^waxwing_push_last_look_age_seconds /m;
  assert.doesNotMatch(await registry.metrics(), sample);
  age = 2;
  assert.match(await registry.metrics(), sample);
  age = undefined;
  assert.doesNotMatch(await registry.metrics(), sample);
});
