import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStaleTagThrottle } from './stale-tag-throttle.ts';

test('the first is done at once, what follows together at the end of each pause', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const pace = createStaleTagThrottle(2_000, (tags) => runs.push(tags));
  pace.add(['messaging']);
  assert.deepEqual(runs, [['messaging']]);
  pace.add(['messaging']);
  pace.add(['pushes', 'messaging']);
  mock.timers.tick(1_999);
  assert.equal(runs.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(runs[1], ['messaging', 'pushes']);
  mock.timers.tick(10_000);
  assert.equal(runs.length, 2);
  pace.add(['pushes']);
  assert.deepEqual(runs[2], ['pushes']);
});

test('nothing is done after the end', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const pace = createStaleTagThrottle(2_000, (tags) => runs.push(tags));
  pace.add(['a']);
  pace.add(['b']);
  pace.end();
  mock.timers.tick(10_000);
  assert.deepEqual(runs, [['a']]);
});
