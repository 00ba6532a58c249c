import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherEvents } from './delivery/apply-receipt.ts';

/** How long is waited when so many events have come by each step. */
async function waitedFor(...crowd: readonly number[]): Promise<number> {
  let waited = 0;
  await gatherEvents(
    () => crowd[Math.min(waited / 3, crowd.length - 1)] ?? 0,
    async (ms) => {
      waited += ms;
    },
  );
  return waited;
}

test('more events are waited for as long as more come, but not for ever', async () => {
  assert.equal(await waitedFor(10, 10), 3);
  assert.equal(await waitedFor(10, 20, 30, 30, 40), 9);
  assert.equal(await waitedFor(10, 20, 30, 40, 50, 60, 70, 80), 15);
});

test('a full group waits for no more', async () => {
  assert.equal(await waitedFor(250, 300), 0);
  assert.equal(await waitedFor(10, 250, 300), 3);
});
