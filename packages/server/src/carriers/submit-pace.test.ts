import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubmitResult } from './carrier.ts';
import { fullPace, nextPace, type SubmitPace } from './submit-pace.ts';

function play(results: readonly (readonly [SubmitResult['kind'], now?: number])[]): SubmitPace {
  return results.reduce((pace, [kind, now = 0]) => nextPace(pace, kind, now), fullPace);
}

test('a carrier that fails pauses, longer each time', () => {
  assert.deepEqual(play([['failed', 100]]), { pausedUntil: 1_100, failures: 1, refusals: 0 });
  assert.equal(
    play([
      ['failed', 100],
      ['failed', 1_100],
    ]).pausedUntil,
    3_100,
  );
  const many = Array.from({ length: 20 }, (_, turn) => ['failed', turn * 100_000] as const);
  assert.equal(play(many).pausedUntil, 19 * 100_000 + 60_000);
});

test('submits that were under way when the first one failed do not lengthen the pause', () => {
  const pace = play([
    ['failed', 100],
    ['failed', 101],
    ['failed', 1_099],
  ]);
  assert.deepEqual([pace.pausedUntil, pace.failures], [1_100, 1]);
});

test('the first submit that goes through after a fault ends the pauses', () => {
  assert.deepEqual(play([['failed', 100], ['accepted']]), fullPace);
  assert.deepEqual(play([['refused-for-now'], ['refused']]), fullPace);
});

test('single refusals for now pause nothing, ten in a row do', () => {
  const refusals = (count: number) => Array.from({ length: count }, () => ['refused-for-now', 100] as const);
  assert.equal(play(refusals(9)).pausedUntil, 0);
  assert.equal(play(refusals(10)).pausedUntil, 1_100);
  assert.equal(play([...refusals(9), ['accepted', 101], ...refusals(9)]).pausedUntil, 0);
});

test('throttling, and an answer that never came, say nothing of faults', () => {
  assert.deepEqual(play([['throttled'], ['unanswered']]), fullPace);
});
