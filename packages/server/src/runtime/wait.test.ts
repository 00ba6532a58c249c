import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { unlessAborted } from './wait.ts';

test('work that is done before the signal is aborted gives its result, and leaves no listener', async () => {
  const { signal } = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(7), signal), 7);
  await assert.rejects(unlessAborted(Promise.reject(new Error('disk')), signal), /disk/);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an aborted signal ends the waiting with its reason; the late failure of the work troubles nobody', async () => {
  const stop = new AbortController();
  const reason = new Error('stopping');
  const work = Promise.withResolvers<void>();
  const waiting = unlessAborted(work.promise, stop.signal);
  stop.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(unlessAborted(new Promise(() => {}), stop.signal), reason);
  work.reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
