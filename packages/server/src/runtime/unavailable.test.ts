import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatcherFull } from './batcher.ts';
import { orUnavailable, Unavailable } from './unavailable.ts';
import { TooSlow } from './wait.ts';

test('what is unavailable is a 503 that says when to come again, with its cause for the log', async () => {
  for (const [cause, retryAfterSeconds] of [
    [new Unavailable('gone'), 2],
    [new TooSlow('no answer'), 2],
    [new BatcherFull('too many'), 1],
  ] as const) {
    await assert.rejects(orUnavailable(Promise.reject(cause)), {
      code: 'service_unavailable',
      retryAfterSeconds,
      cause,
    });
  }
});

test('an interface may have a Retry-After of its own; any other error stays what it is', async () => {
  const gone = Promise.reject(new Unavailable('gone'));
  await assert.rejects(orUnavailable(gone, 7), { code: 'service_unavailable', retryAfterSeconds: 7 });
  const fault = new TypeError('ours');
  await assert.rejects(orUnavailable(Promise.reject(fault)), fault);
});
