import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchesWhenLoaded } from './loaded-fetch.ts';

const url = 'http://aia.example/';
const limits = { timeoutMs: 1, maxBytes: 1, signal: new AbortController().signal };

/** Loads fail until `works` is set. */
function trial() {
  const counts = { loads: 0, closes: 0, works: true };
  const issuers = fetchesWhenLoaded(async () => {
    counts.loads += 1;
    if (!counts.works) throw new Error('no such module');
    return {
      fetch: async () => ({ kind: 'blocked' }),
      close() {
        counts.closes += 1;
      },
    };
  });
  return { counts, issuers };
}

test('what fetches is loaded with the first request, once, and closed', async () => {
  const { counts, issuers } = trial();
  assert.equal(counts.loads, 0);
  await Promise.all([issuers.fetch(url, limits), issuers.fetch(url, limits)]);
  await issuers.close();
  assert.deepEqual([counts.loads, counts.closes], [1, 1]);
});

test('a load that fails is tried again with the next request, and closing succeeds after it', async () => {
  const { counts, issuers } = trial();
  counts.works = false;
  await assert.rejects(issuers.fetch(url, limits), /no such module/);
  await issuers.close();
  const failing = assert.rejects(issuers.fetch(url, limits), /no such module/);
  await Promise.all([issuers.close(), failing]);
  counts.works = true;
  assert.deepEqual(await issuers.fetch(url, limits), { kind: 'blocked' });
  assert.equal(counts.loads, 3);
});

test('what was never loaded is closed without being loaded', async () => {
  const { counts, issuers } = trial();
  await issuers.close();
  assert.deepEqual([counts.loads, counts.closes], [0, 0]);
});
