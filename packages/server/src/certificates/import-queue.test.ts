import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompletionQueue } from './import-queue.ts';

test("an organization's completions that last do not hold up that of another", async () => {
  const queue = createCompletionQueue();
  const ends = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  const long = ends.map(({ promise }) => queue.run(() => promise, 'one'));
  let hasBegun = false;
  await queue.run(async () => {
    hasBegun = true;
  }, 'other');
  assert.ok(hasBegun);
  for (const { resolve } of ends) resolve();
  await Promise.all(long);
  assert.equal(queue.busy, 0);
});
