import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DelayedActs } from './delayed-acts.ts';
import { RateWindow } from './rate-window.ts';

test('acts come at their time, those of one moment in order, and none after the stop', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const acts = new DelayedActs(() => now);
  const done: string[] = [];
  acts.add(100, () => done.push('late'));
  for (const name of ['first', 'second', 'third']) acts.add(50, () => done.push(name));
  pass(49);
  assert.equal(done.length, 0);
  pass(1);
  assert.deepEqual(done, ['first', 'second', 'third']);
  pass(50);
  assert.deepEqual(done.at(-1), 'late');
  acts.add(10, () => done.push('never'));
  acts.stop();
  pass(1000);
  assert.deepEqual(done.at(-1), 'late');
});

test('a rate lets so many through in each second', () => {
  const rate = new RateWindow(2);
  assert.deepEqual(
    [0, 1, 2, 999].map((now) => rate.take(now)),
    [true, true, false, false],
  );
  assert.deepEqual(
    [1000, 1500, 1999, 2000].map((now) => rate.take(now)),
    [true, true, false, true],
  );
  const free = new RateWindow(undefined);
  assert.ok(Array.from({ length: 1000 }, () => free.take(0)).every(Boolean));
});
