import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStalePace } from './stale-pace.ts';

test('the first is done at once, what follows together at the end of each pause', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const pace = createStalePace(2_000, (tags) => runs.push(tags));
  pace.ask(['messaging']);
  assert.deepEqual(runs, [['messaging']]);
  pace.ask(['messaging']);
  pace.ask(['pushes', 'messaging']);
  mock.timers.tick(1_999);
  assert.equal(runs.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(runs[1], ['messaging', 'pushes']);
  mock.timers.tick(10_000);
  assert.equal(runs.length, 2);
  pace.ask(['pushes']);
  assert.deepEqual(runs[2], ['pushes']);
});

test('nothing is done after the end', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const runs: (readonly string[])[] = [];
  const pace = createStalePace(2_000, (tags) => runs.push(tags));
  pace.ask(['a']);
  pace.ask(['b']);
  pace.end();
  mock.timers.tick(10_000);
  assert.deepEqual(runs, [['a']]);
});
