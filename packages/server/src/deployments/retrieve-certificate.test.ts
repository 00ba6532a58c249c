import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../http/ip-address.ts';
import { createWindowLimit } from '../http/window-limit.ts';
import { BatcherFull } from '../runtime/batcher.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { issueToken } from '../secrets/token.ts';
import { createRequestRate } from './request-rate.ts';
import { createRetrievalDeadline } from './retrieval-deadline.ts';
import type { RetrievalFacts } from './retrieval-facts.ts';
import { createRetrieveCertificate, provenForMs, type RetrievalRequest } from './retrieve-certificate.ts';

/** A retrieval whose time, database and memory a test holds in its hands. */
function bench(parts: { proven?: boolean; sync?: () => Promise<void>; load?: RetrievalFacts['load'] }) {
  let now = 0;
  let timer = () => {};
  const clock = { now: () => now, monotonic: () => now };
  const retrieve = createRetrieveCertificate({
    facts: {
      find: () => undefined,
      load: parts.load ?? (async () => undefined),
      loadFormer: async () => {},
      size: 0,
      bytes: 0,
    },
    feed: { isProven: () => parts.proven ?? true, sync: parts.sync ?? (async () => {}) },
    records: {
      handOut: () => assert.fail('no key leaves here'),
      success: () => assert.fail('nothing is answered here'),
      refusal: () => assert.fail('no token is known here'),
    },
    wrongTokens: createWindowLimit({ limit: 3 }),
    requestRate: createRequestRate(1),
    bodies: () => assert.fail('no key is opened here'),
    clock,
    metrics: { answered: () => {}, refused: () => {} },
    proofDeadline: createRetrievalDeadline({
      limitMs: provenForMs,
      complaint: 'no proof',
      clock,
      schedule: (_ms, run) => {
        timer = run;
      },
    }),
  });
  return {
    retrieve,
    pass(ms: number) {
      now += ms;
      timer();
    },
  };
}

function request(address: string, token = issueToken('deployment').clear): RetrievalRequest {
  return {
    operation: 'info',
    headOnly: false,
    credential: { kind: 'token', source: 'bearer', token },
    address: parseAddress(address),
    versions: [],
    types: undefined,
    ifNoneMatch: undefined,
    userAgent: '',
  };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof Problem ? `${error.code} ${error.retryAfterSeconds ?? ''}`.trim() : `${error}`,
  );

test('a database that does not answer is a 503 after a second, and is asked one question, not one per request', async () => {
  let asked = 0;
  const { retrieve, pass } = bench({
    proven: false,
    sync: () => {
      asked += 1;
      return new Promise(() => {});
    },
  });
  const ends = Array.from({ length: 500 }, () => codeOf(retrieve(request('192.0.2.1'))));
  pass(provenForMs);
  assert.deepEqual(new Set(await Promise.all(ends)), new Set(['service_unavailable 2']));
  assert.equal(asked, 1);
  const next = codeOf(retrieve(request('192.0.2.1')));
  assert.equal(asked, 2, 'the next request tries again');
  pass(provenForMs);
  assert.equal(await next, 'service_unavailable 2');
});

test('proof that comes in time is as good as ever, and shared by those who wait for it', async () => {
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const { retrieve } = bench({
    proven: false,
    sync: () => {
      asked += 1;
      return answer.promise;
    },
  });
  const ends = [codeOf(retrieve(request('192.0.2.1'))), codeOf(retrieve(request('192.0.2.1')))];
  answer.resolve();
  assert.deepEqual(await Promise.all(ends), ['invalid_token', 'invalid_token']);
  assert.equal(asked, 1);
});

test('an address with too many wrong tokens is looked up apart, from its next token on', async () => {
  const looked: (boolean | undefined)[] = [];
  const { retrieve, pass } = bench({
    load: async (_hash, suspect) => {
      looked.push(suspect);
      if (suspect && looked.length > 5) throw new BatcherFull('too many');
      return undefined;
    },
  });
  const ends: string[] = [];
  for (let wrong = 0; wrong < 6; wrong += 1) ends.push(await codeOf(retrieve(request('192.0.2.1'))));
  assert.deepEqual(looked, [false, false, false, true, true, true]);
  const limited = 'too_many_requests 60';
  assert.deepEqual(ends, [
    'invalid_token',
    'invalid_token',
    'invalid_token',
    limited,
    limited,
    'service_unavailable 1',
  ]);
  assert.equal(await codeOf(retrieve(request('192.0.2.2'))), 'invalid_token');
  assert.equal(looked.at(-1), false, 'nobody else is suspected');
  pass(60_000);
  await codeOf(retrieve(request('192.0.2.1')));
  assert.equal(looked.at(-1), false, 'nor is it after its minute');
});

test('what cannot be a token needs no look-up', async () => {
  const { retrieve } = bench({ load: () => assert.fail('looked up') });
  assert.equal(await codeOf(retrieve(request('192.0.2.1', new SecretText('wxd_typo')))), 'invalid_token');
});
