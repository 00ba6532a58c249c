import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedOnce } from './loaded-once.ts';

/** Loads fail until `works` is set. */
function trial() {
  const counts = { loads: 0, closes: 0, works: true };
  const part = loadedOnce(async () => {
    counts.loads += 1;
    if (!counts.works) throw new Error('no such module');
    return {
      name: 'loaded',
      close() {
        counts.closes += 1;
      },
    };
  });
  return { counts, part };
}

test('a part is loaded with the first use, once, and closed', async () => {
  const { counts, part } = trial();
  assert.equal(counts.loads, 0);
  await Promise.all([part.get(), part.get()]);
  await part.close();
  assert.deepEqual([counts.loads, counts.closes], [1, 1]);
});

test('a load that fails is tried again with the next use, and closing succeeds after it', async () => {
  const { counts, part } = trial();
  counts.works = false;
  await assert.rejects(part.get(), /no such module/);
  await part.close();
  const failing = assert.rejects(part.get(), /no such module/);
  await Promise.all([part.close(), failing]);
  counts.works = true;
  assert.equal((await part.get()).name, 'loaded');
  assert.equal(counts.loads, 3);
});

test('a part that was never loaded is closed without being loaded', async () => {
  const { counts, part } = trial();
  await part.close();
  assert.deepEqual([counts.loads, counts.closes], [0, 0]);
});
