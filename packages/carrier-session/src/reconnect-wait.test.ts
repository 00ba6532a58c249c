import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reconnectWaitMs } from './reconnect-wait.ts';

test('the wait doubles from one second to thirty', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 2000].map((failures) => reconnectWaitMs(failures, 0.5));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('chance moves the wait by a tenth', () => {
  assert.deepEqual(
    [0, 1].map((random) => Math.round(reconnectWaitMs(1, random))),
    [900, 1100],
  );
  assert.deepEqual(
    [0, 1].map((random) => Math.round(reconnectWaitMs(9, random))),
    [27_000, 33_000],
  );
});
