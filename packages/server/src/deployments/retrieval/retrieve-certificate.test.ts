import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { provenForMs } from '../../database/fact-memory.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { createWindowLimit } from '../../http/request/window-limit.ts';
import { BatcherFull } from '../../runtime/batcher.ts';
import { ageOf, longAgo, momentOf } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { issueToken } from '../../secrets/token.ts';
import type { KnownToken, RetrievalFacts } from './known-tokens.ts';
import { createRetrieveCertificate, type RetrievalRequest } from './retrieve-certificate.ts';

interface BenchParts {
  readonly proven?: boolean;
  readonly sync?: () => Promise<void>;
  readonly find?: RetrievalFacts['find'];
  readonly load?: RetrievalFacts['load'];
  readonly handOut?: () => Promise<void>;
}

/** A retrieval whose time, database and memory a test holds in its hands. */
function bench(t: TestContext, parts: BenchParts) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  let provenAt = longAgo;
  const refusals: string[] = [];
  const clock = { now: () => now, monotonic: () => now };
  const retrieve = createRetrieveCertificate({
    facts: {
      find: parts.find ?? (() => undefined),
      load: parts.load ?? (async () => undefined),
      size: 0,
      bytes: 0,
    },
    feed: {
      isProven: (maxAgeMs) => parts.proven ?? ageOf(provenAt, clock) <= maxAgeMs,
      provenAt: () => provenAt,
      async sync() {
        const askedAt = momentOf(clock);
        await parts.sync?.();
        provenAt = askedAt;
      },
    },
    records: {
      handOut: parts.handOut ?? (() => assert.fail('no key leaves here')),
      success: () => {},
      refusal: (_organizationId, _deploymentId, reason) => refusals.push(reason),
      news: () => assert.fail('the deployment is old'),
    },
    wrongTokens: createWindowLimit({ limit: 3 }),
    requestRate: createWindowLimit({ maxNames: 1 }),
    bodies: () => (parts.handOut === undefined ? assert.fail('no key is opened here') : { text: 'key', bytes: 3 }),
    checkKey: () => assert.ok(parts.handOut !== undefined, 'no key is opened here'),
    clock,
    metrics: { answered: () => {}, refused: () => {} },
  });
  return {
    retrieve,
    refusals,
    prove() {
      provenAt = momentOf(clock);
    },
    pass(ms: number) {
      now += ms;
      t.mock.timers.tick(ms);
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

test('a database that does not answer is a 503 after a second, and is asked one question, not one per request', async (t) => {
  let asked = 0;
  const { retrieve, pass } = bench(t, {
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

test('proof that comes in time is as good as ever, and shared by those who wait for it', async (t) => {
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const { retrieve } = bench(t, {
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

test('an address with too many wrong tokens is looked up apart, from its next token on', async (t) => {
  const looked: (boolean | undefined)[] = [];
  const { retrieve, pass } = bench(t, {
    load: async (_hash, _version, suspect) => {
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

test('what cannot be a token needs no look-up', async (t) => {
  const { retrieve } = bench(t, { load: () => assert.fail('looked up') });
  assert.equal(await codeOf(retrieve(request('192.0.2.1', new SecretText('wxd_typo')))), 'invalid_token');
});

/** What memory holds of a token that may have the key of `version`. */
function knownToken(version: string, changes: object = {}): KnownToken {
  const current = { id: version, revoked: false, tags: { info: 'i', certificate: 'c', key: 'k' } };
  const deployment = {
    id: 'd1',
    certificateId: 'c1',
    enabled: true,
    permitted: true,
    queryToken: true,
    expiresAt: null,
    requestsPerMinute: null,
    createdAt: Number.NEGATIVE_INFINITY,
    allowList: { allows: () => true },
    certificate: { issued: true, current, former: undefined, formerId: undefined },
    ...changes,
  };
  const token = { disabled: false, expiresAt: null, organizationSuspended: false, organizationId: 'o1' };
  return { ...token, deployment } as unknown as KnownToken;
}

/** A request for a key whose record takes `ms`, while memory comes to hold `known`. */
async function slowHandOut(t: TestContext, ms: number, known: KnownToken | undefined, sync?: () => Promise<void>) {
  let held: KnownToken | undefined = knownToken('v1');
  let asked = 0;
  const written = Promise.withResolvers<void>();
  const one = bench(t, {
    find: () => held,
    handOut: () => written.promise,
    sync: async () => {
      asked += 1;
      await sync?.();
    },
  });
  one.prove();
  const end = codeOf(one.retrieve(request('192.0.2.1')));
  one.pass(ms);
  held = known;
  written.resolve();
  // From here on nobody answers a question within its time.
  if (sync !== undefined) for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  if (sync !== undefined) one.pass(provenForMs);
  return { code: await end, asked, refusals: one.refusals };
}

test('a key whose record took long leaves only if it still may: what was revoked meanwhile is known by then', async (t) => {
  const late = provenForMs + 1;
  const revoked = { code: 'invalid_token', asked: 1, refusals: ['invalid_token'] };
  assert.deepEqual(await slowHandOut(t, late, knownToken('v1', { enabled: false })), revoked);
  assert.deepEqual(await slowHandOut(t, late, undefined), { code: 'invalid_token', asked: 1, refusals: [] });
  assert.deepEqual(await slowHandOut(t, late, knownToken('v1')), { code: 'answered', asked: 1, refusals: [] });
  const another = { code: 'service_unavailable 2', asked: 1, refusals: [] };
  assert.deepEqual(await slowHandOut(t, late, knownToken('v2')), another, 'the record names the former version');
});

test('a key whose record took long does not leave when nobody can say whether it still may', async (t) => {
  const never = () => new Promise<void>(() => {});
  const unknown = { code: 'service_unavailable 2', asked: 1, refusals: [] };
  assert.deepEqual(await slowHandOut(t, provenForMs + 1, knownToken('v1'), never), unknown);
});

test('a key whose record took no longer than what is known is true leaves without another question', async (t) => {
  assert.deepEqual(await slowHandOut(t, provenForMs, knownToken('v1')), { code: 'answered', asked: 0, refusals: [] });
});

test('a deployment without a limit takes no place among those whose requests are counted', async (t) => {
  let held = knownToken('v1', { id: 'limited', requestsPerMinute: 1 });
  const { retrieve, prove } = bench(t, { find: () => held, handOut: async () => {} });
  prove();
  const ask = () => codeOf(retrieve(request('192.0.2.1')));
  assert.equal(await ask(), 'answered');
  const limited = held;
  held = knownToken('v1', { id: 'unlimited' });
  for (let times = 0; times < 100; times += 1) assert.equal(await ask(), 'answered');
  held = limited;
  assert.equal(await ask(), 'too_many_requests 60');
});
