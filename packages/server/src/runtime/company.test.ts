import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitCompany } from './company.ts';

/** How long is waited when so many have come by each step. */
async function waitedFor(crowd: readonly number[], { enough = 100, steps = 5 } = {}): Promise<number> {
  let waited = 0;
  await awaitCompany({
    waiting: () => crowd[Math.min(waited / 3, crowd.length - 1)] ?? 0,
    enough,
    stepMs: 3,
    steps,
    async wait(ms) {
      waited += ms;
    },
  });
  return waited;
}

test('more are waited for as long as more come', async () => {
  assert.equal(await waitedFor([10, 20, 30, 30, 40]), 9);
});

test('nobody is waited for twice who did not come', async () => {
  assert.equal(await waitedFor([10, 10]), 3);
});

test('a full group waits for nobody', async () => {
  assert.equal(await waitedFor([100, 200]), 0);
  assert.equal(await waitedFor([10, 100, 200]), 3);
});

test('however many come, it ends', async () => {
  assert.equal(await waitedFor([10, 20, 30, 40, 50, 60, 70, 80]), 15);
});
