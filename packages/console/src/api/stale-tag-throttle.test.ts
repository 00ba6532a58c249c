import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStaleTagThrottle } from './stale-tag-throttle.ts';

test('the first tags are passed on at once, later ones together at the end of each pause', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const throttle = createStaleTagThrottle(2_000, (tags) => runs.push(tags));
  throttle.add(['messaging']);
  assert.deepEqual(runs, [['messaging']]);
  throttle.add(['messaging']);
  throttle.add(['pushes', 'messaging']);
  mock.timers.tick(1_999);
  assert.equal(runs.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(runs[1], ['messaging', 'pushes']);
  mock.timers.tick(10_000);
  assert.equal(runs.length, 2);
  throttle.add(['pushes']);
  assert.deepEqual(runs[2], ['pushes']);
});

test('no tags are passed on after the end', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const throttle = createStaleTagThrottle(2_000, (tags) => runs.push(tags));
  throttle.add(['a']);
  throttle.add(['b']);
  throttle.end();
  mock.timers.tick(10_000);
  assert.deepEqual(runs, [['a']]);
});
