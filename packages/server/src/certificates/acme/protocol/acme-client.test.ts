import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../runtime/clock.ts';
import { generateAccountKey } from './account-key.ts';
import { createAcmeClient } from './acme-client.ts';
import {
  directoryAt,
  problem,
  type ScriptedAnswer,
  startScriptedAuthority,
  type TakenRequest,
} from './scripted-authority.testing.ts';

const key = await generateAccountKey('ec256');
const account = { key, url: 'https://ca.example/account/1' };
const identifiers = [{ type: 'dns', value: 'a.example' }] as const;
const signal = AbortSignal.timeout(60_000);
const start = Date.UTC(2026, 0, 1);

/** A client of an authority that answers by paths. What is not scripted is a 404 without a problem. */
async function withAuthority(
  script: (request: TakenRequest, url: string) => ScriptedAnswer | undefined,
  directory: (url: string) => object = () => ({}),
) {
  const authority = await startScriptedAuthority((request, url) =>
    request.path === '/directory' ? directoryAt(url, directory(url)) : script(request, url),
  );
  let now = start;
  const clock: Clock = { now: () => now, monotonic: () => now };
  const client = createAcmeClient({
    directoryUrl: `${authority.url}/directory`,
    extraRoots: authority.rootPem,
    userAgent: 'waxwing-test',
    timeoutMs: 2000,
    clock,
  });
  return {
    authority,
    client,
    advance: (ms: number) => {
      now += ms;
    },
    paths: () => authority.requests.map(({ path }) => path),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}

const order = { status: 'pending', identifiers, authorizations: [], finalize: 'https://ca.example/f' };
const placed = { status: 201, headers: { location: 'https://ca.example/order/1' }, body: order };

test('a request is signed by the account for its URL, and names the program', async () => {
  await using world = await withAuthority(() => placed);
  const answer = await world.client.placeOrder(account, { identifiers, profile: 'shortlived' }, signal);
  assert.ok(answer.kind === 'done' && answer.url === 'https://ca.example/order/1');
  const [, , request] = world.authority.requests;
  assert.deepEqual(request?.header, {
    alg: 'ES256',
    kid: account.url,
    url: `${world.authority.url}/order`,
    nonce: 'nonce-1',
  });
  assert.deepEqual(request.payload, { identifiers, profile: 'shortlived' });
  assert.ok(world.authority.requests.every(({ userAgent }) => userAgent === 'waxwing-test'));
});

test('the nonce of one answer serves the next request', async () => {
  await using world = await withAuthority(() => placed);
  for (let i = 0; i < 3; i++) await world.client.placeOrder(account, { identifiers }, signal);
  assert.deepEqual(world.paths(), ['/directory', '/nonce', '/order', '/order', '/order']);
});

test('a refused nonce is replaced five times, and no other refusal is repeated', async () => {
  for (const [type, times] of [
    ['badNonce', 6],
    ['serverInternal', 1],
  ] as const) {
    await using world = await withAuthority(() => problem(400, type));
    const answer = await world.client.placeOrder(account, { identifiers }, signal);
    assert.ok(answer.kind === 'failed' && answer.type === type && answer.temporary);
    const nonces = world.authority.requests.flatMap(({ header }) => (header === undefined ? [] : [header.nonce]));
    assert.equal(new Set(nonces).size, times);
    assert.equal(world.paths().filter((path) => path === '/nonce').length, 1);
  }
});

test('the directory is read again after an hour', async () => {
  await using world = await withAuthority(() => placed);
  for (const wait of [0, 3_599_000, 1000]) {
    world.advance(wait);
    await world.client.directory(signal);
  }
  assert.deepEqual(world.paths(), ['/directory', '/directory']);
});

test('a refusal tells type, words, names and pause, without control characters', async () => {
  const subproblems = [{ type: 'urn:ietf:params:acme:error:caa', detail: 'b\n\u001b[2Jc', identifier: identifiers[0] }];
  for (const [retryAfter, pause] of [
    ['120', 120_000],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 3_600_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', null],
  ] as const) {
    await using world = await withAuthority(() => ({
      ...problem(429, 'rateLimited', { subproblems }),
      headers: { 'retry-after': retryAfter },
    }));
    assert.deepEqual(await world.client.placeOrder(account, { identifiers }, signal), {
      kind: 'failed',
      type: 'rateLimited',
      words: 'No.',
      temporary: true,
      retryAfterMs: pause,
      subproblems: [{ identifier: 'a.example', type: 'caa', words: 'b [2Jc' }],
    });
  }
});

test('whether an order may have been placed is told by the type', async () => {
  for (const [name, answer, type, words] of [
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, 'refusedWithoutType', /status 302/],
    ['a refusal of a proxy', { status: 403, body: '<html>' }, 'refusedWithoutType', /status 403/],
    ['a page of a proxy', { status: 502, body: '<html>' }, null, /status 502/],
    ['no JSON', { status: 201, body: '<html>' }, null, /RFC 8555/],
    ['another object', { status: 201, body: { status: 'new' } }, null, /RFC 8555/],
    ['an order without its URL', { status: 201, body: order }, null, /RFC 8555/],
    ['more than a mebibyte', { status: 201, body: 'x'.repeat(1024 * 1024 + 1) }, null, /larger than 1 MiB/],
    ['silence', undefined, null, /in time/],
    ['a refusal', problem(403, 'unauthorized'), 'unauthorized', /No\./],
  ] as const) {
    await using world = await withAuthority(() => answer);
    const met = await world.client.placeOrder(account, { identifiers }, signal);
    assert.ok(met.kind === 'failed', name);
    assert.equal(met.type, type, name);
    assert.match(met.words, words, name);
    assert.equal(met.temporary, type === null, name);
    assert.equal(world.paths().filter((path) => path === '/order').length, 1, name);
  }
});

test('what did not reach the authority was not sent', async () => {
  await using world = await withAuthority(
    () => placed,
    () => ({ newNonce: 'http://127.0.0.1/nonce' }),
  );
  const plain = await world.client.placeOrder(account, { identifiers }, signal);
  assert.ok(plain.kind === 'failed' && plain.type === 'notSent' && plain.temporary);
  assert.match(plain.words, /not https/);
  await using closed = await withAuthority(() => placed);
  await closed.client.directory(signal);
  await closed.authority[Symbol.asyncDispose]();
  const refused = await closed.client.placeOrder(account, { identifiers }, signal);
  assert.ok(refused.kind === 'failed' && refused.type === 'notSent' && refused.temporary);
});

test('a caller who goes away ends the request', async () => {
  const leaving = new AbortController();
  await using world = await withAuthority(() => {
    leaving.abort();
    return undefined;
  });
  const answer = await world.client.placeOrder(account, { identifiers }, leaving.signal);
  assert.ok(answer.kind === 'failed' && answer.temporary);
  assert.match(answer.words, /our side/);
});

test('a list of orders that never ends is not read to its end', async () => {
  await using world = await withAuthority((_request, url) => ({
    headers: { link: `<${url}/orders>;rel="next"` },
    body: { orders: ['https://ca.example/order/1'] },
  }));
  const answer = await world.client.listOrders(account, `${world.authority.url}/orders`, signal);
  assert.ok(answer.kind === 'done' && answer.urls.length === 20);
});

test('a list of orders may be the URLs alone, as step-ca sends them', async () => {
  await using world = await withAuthority(() => ({ body: ['https://ca.example/order/1'] }));
  const answer = await world.client.listOrders(account, `${world.authority.url}/orders`, signal);
  assert.deepEqual(answer, { kind: 'done', urls: ['https://ca.example/order/1'] });
});

test('an order and its challenges tell why they failed', async () => {
  const error = { type: 'urn:ietf:params:acme:error:dns', detail: 'NXDOMAIN' };
  const url = 'https://ca.example/challenge/1';
  const challenge = { type: 'dns-01', url, token: 't', status: 'invalid', error };
  await using world = await withAuthority(({ path }) =>
    path === '/o'
      ? {
          body: { ...order, status: 'invalid', error, expires: '2026-01-02T00:00:00Z' },
          headers: { 'retry-after': '3' },
        }
      : {
          body: { status: 'invalid', identifier: identifiers[0], challenges: [challenge, { ...challenge, token: 1 }] },
        },
  );
  const read = await world.client.readOrder(account, `${world.authority.url}/o`, signal);
  assert.ok(read.kind === 'done' && read.retryAfterMs === 3000 && read.order.expires === Date.UTC(2026, 0, 2));
  assert.deepEqual([read.order.error?.type, read.order.error?.words], ['dns', 'NXDOMAIN']);
  const authorization = await world.client.readAuthorization(account, `${world.authority.url}/a`, signal);
  assert.ok(authorization.kind === 'failed');
});

const renewal = (url: string) => ({ renewalInfo: `${url}/renewal` });
const suggested = { suggestedWindow: { start: '2026-02-01T00:00:00Z', end: '2026-02-02T00:00:00Z' } };

test('renewal information is asked for without a signature, and tells when to ask again', async () => {
  const explanationURL = 'https://ca.example/why';
  const body = { ...suggested, explanationURL };
  await using world = await withAuthority(() => ({ headers: { 'retry-after': '21600' }, body }), renewal);
  assert.deepEqual(await world.client.renewalInfo('aYhb.AIdlQyE', signal), {
    kind: 'done',
    start: Date.UTC(2026, 1, 1),
    end: Date.UTC(2026, 1, 2),
    explanation: explanationURL,
    retryAfterMs: 21_600_000,
  });
  const { method, path, header } = world.authority.requests[1] ?? {};
  assert.deepEqual([method, path, header], ['GET', '/renewal/aYhb.AIdlQyE', undefined]);
});

test('renewal information that is missing or makes no sense is a failure', async () => {
  const backwards = { suggestedWindow: { start: '2026-02-02T00:00:00Z', end: '2026-02-01T00:00:00Z' } };
  for (const [answer, temporary] of [
    [{ status: 404 }, false],
    [problem(404, 'malformed'), false],
    [{ status: 503, headers: { 'retry-after': '60' } }, true],
    [{ body: backwards }, true],
    [{ body: { suggestedWindow: { start: 'soon', end: 'later' } } }, true],
  ] as const) {
    await using world = await withAuthority(() => answer, renewal);
    const info = await world.client.renewalInfo('a.b', signal);
    assert.ok(info.kind === 'failed' && info.temporary === temporary, JSON.stringify(answer));
  }
  await using without = await withAuthority(() => ({ body: suggested }));
  const info = await without.client.renewalInfo('a.b', signal);
  assert.ok(info.kind === 'failed' && !info.temporary);
  assert.deepEqual(without.paths(), ['/directory']);
});

test('an order names what it replaces to authorities that know of it, and tells when that is refused', async () => {
  const answer = ({ payload }: TakenRequest) =>
    payload !== undefined && JSON.stringify(payload).includes('replaces') ? problem(409, 'alreadyReplaced') : placed;
  const request = { identifiers, replaces: 'a.b' };
  await using world = await withAuthority(answer, renewal);
  const refused = await world.client.placeOrder(account, request, signal);
  assert.ok(refused.kind === 'failed' && refused.type === 'alreadyReplaced' && !refused.temporary);
  assert.equal((await world.client.placeOrder(account, { identifiers }, signal)).kind, 'done');
  await using without = await withAuthority(answer);
  assert.equal((await without.client.placeOrder(account, request, signal)).kind, 'done');
});
