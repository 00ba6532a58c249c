import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubmitResult } from './carrier.ts';
import { fullPace, nextPace, type SubmitPace } from './submit-pace.ts';

const window = 16;

function play(results: readonly (readonly [SubmitResult['kind'], now?: number])[]): SubmitPace {
  return results.reduce((pace, [kind, now = 0]) => nextPace(pace, kind, window, now), fullPace(window));
}

test('throttling halves the window, down to one; each submit that is taken gives one back', () => {
  assert.equal(play([['throttled']]).window, 8);
  assert.equal(play(Array.from({ length: 9 }, () => ['throttled'] as const)).window, 1);
  assert.equal(play([['throttled'], ['accepted'], ['refused']]).window, 10);
  assert.equal(play([['accepted']]).window, window);
});

test('a carrier that fails pauses, longer each time, and is then tried with one submit', () => {
  assert.deepEqual(play([['failed', 100]]), { window: 1, pausedUntil: 1_100, failures: 1 });
  assert.deepEqual(
    play([
      ['failed', 100],
      ['failed', 1_100],
    ]),
    { window: 1, pausedUntil: 3_100, failures: 2 },
  );
  const many = Array.from({ length: 20 }, (_, turn) => ['failed', turn * 100_000] as const);
  assert.equal(play(many).pausedUntil, 19 * 100_000 + 60_000);
});

test('submits that were under way when the first one failed do not lengthen the pause', () => {
  assert.deepEqual(
    play([
      ['failed', 100],
      ['failed', 101],
      ['failed', 1_099],
    ]),
    { window: 1, pausedUntil: 1_100, failures: 1 },
  );
});

test('the first submit that goes through after a fault opens the whole window', () => {
  assert.deepEqual(play([['failed', 100], ['accepted']]), fullPace(window));
});

test('an answer that never came says nothing', () => {
  assert.deepEqual(play([['throttled'], ['unanswered']]), play([['throttled']]));
});
