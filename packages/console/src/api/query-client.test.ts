import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MutationObserver } from '@tanstack/react-query';
import { createQueryClient } from './query-client.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

test('what a change was given and what it answered is there as long as it is shown, and no longer', async () => {
  const client = createQueryClient();
  const change = new MutationObserver(client, { mutationFn: async (password: string) => `token for ${password}` });
  const unsubscribe = change.subscribe(() => {});
  await change.mutate('secret');
  await tick();
  assert.equal(change.getCurrentResult().data, 'token for secret');
  assert.equal(client.getMutationCache().getAll().length, 1);
  unsubscribe();
  await tick();
  assert.equal(client.getMutationCache().getAll().length, 0);
});

test('a change that is still under way when its dialog closes goes on, and is then forgotten', async () => {
  const client = createQueryClient();
  let isDone = false;
  const mutationFn = async (_password: string) => {
    await tick();
    isDone = true;
  };
  const change = new MutationObserver(client, { mutationFn });
  const unsubscribe = change.subscribe(() => {});
  const done = change.mutate('secret');
  unsubscribe();
  await done;
  await tick();
  assert.equal(isDone, true);
  assert.equal(client.getMutationCache().getAll().length, 0);
});
