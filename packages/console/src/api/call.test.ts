import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as certificates from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import * as deployments from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { acceptLink } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { ApiProblem } from './api-problem.ts';
import { type ApiNeeds, createApi, newIdempotencyKey } from './call.ts';

interface Sent {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Record<string, string> };
}

/** An API whose server gives these answers in turn; a function throws or makes one. */
function apiWith(answers: readonly (Response | Error)[], needs: Partial<ApiNeeds> = {}) {
  const left = [...answers];
  const sent: Sent[] = [];
  let keys = 0;
  const api = createApi({
    async fetch(url, init) {
      sent.push({ url: String(url), init: init as Sent['init'] });
      const next = left.shift();
      assert.ok(next, 'one request too many');
      if (next instanceof Error) throw next;
      return next;
    },
    reauthenticate: async () => false,
    onSignedOut() {},
    newKey: () => `key-${++keys}`,
    now: () => 0,
    ...needs,
  });
  return { api, sent };
}

const json = (body: object, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { 'content-type': 'application/json', ...init.headers } });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(
    { title: 't', status, detail: `about ${code}`, code },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

const organization_id = 'org1';

test('path, query and body go where the operation says', async () => {
  const { api, sent } = apiWith([json({ items: [], next_cursor: null }), json({ id: 'c' })]);
  await api.call(certificates.listCertificates, {
    params: { organization_id },
    query: { search: 'a b&c', limit: 10, cursor: undefined } as { search: string; limit: number },
  });
  await api.call(certificates.revokeCertificate, {
    params: { organization_id, certificate_id: 'a/b' },
    body: { version: 'v1' },
  });
  assert.equal(sent[0]?.url, '/api/v1/organizations/org1/certificates?search=a+b%26c&limit=10');
  assert.equal(sent[0]?.init.method, 'GET');
  assert.equal(sent[0]?.init.body, undefined);
  assert.equal(sent[1]?.url, '/api/v1/organizations/org1/certificates/a%2Fb/revoke');
  assert.equal(sent[1]?.init.body, '{"version":"v1"}');
  assert.equal(sent[1]?.init.headers['content-type'], 'application/json');
});

test('a creation whose answer got lost is repeated once, under the same key', async () => {
  const { api, sent } = apiWith([new TypeError('network'), json({ id: 'd' }, { status: 201 })]);
  const body = { certificate_id: 'c', name: 'n', allow: [] };
  await api.call(deployments.createDeployment, { params: { organization_id }, body });
  assert.deepEqual(
    sent.map(({ init }) => init.headers['idempotency-key']),
    ['key-1', 'key-1'],
  );
});

test('a creation that the person tries again has the former key, as long as nobody knows whether it was done', async () => {
  let now = 0;
  const failed = () => new TypeError('network');
  const done = () => json({ id: 'd' }, { status: 201 });
  const { api, sent } = apiWith(
    [
      failed(),
      failed(),
      problem(503, 'service_unavailable'),
      done(),
      done(),
      failed(),
      failed(),
      done(),
      failed(),
      failed(),
      done(),
    ],
    { now: () => now },
  );
  const create = (name: string) =>
    api
      .call(deployments.createDeployment, {
        params: { organization_id },
        body: { certificate_id: 'c', name, allow: [] },
      })
      .catch(() => undefined);
  await create('n');
  await create('n');
  await create('n');
  await create('n');
  await create('n');
  await create('another');
  await create('n');
  now += 11 * 60_000;
  await create('n');
  assert.deepEqual(
    sent.map(({ init }) => init.headers['idempotency-key']),
    ['key-1', 'key-1', 'key-1', 'key-1', 'key-2', 'key-3', 'key-3', 'key-4', 'key-3', 'key-3', 'key-5'],
  );
});

test('a refusal before anything was looked at says nothing of a lost creation: its key is kept', async () => {
  const refusals = [problem(401, 'unauthenticated'), problem(403, 'forbidden'), problem(429, 'too_many_requests')];
  const lost = [new TypeError('network'), new TypeError('network')];
  const { api, sent } = apiWith([...lost, ...refusals, json({ id: 'd' }, { status: 201 })]);
  const body = { certificate_id: 'c', name: 'n', allow: [] };
  const create = () => api.call(deployments.createDeployment, { params: { organization_id }, body });
  for (const code of ['unreachable', 'unauthenticated', 'forbidden', 'too_many_requests']) {
    await assert.rejects(create(), { code });
  }
  await create();
  assert.deepEqual(new Set(sent.map(({ init }) => init.headers['idempotency-key'])), new Set(['key-1']));
});

test('a change that is not idempotent is never repeated', async () => {
  const { api } = apiWith([new TypeError('network')]);
  await assert.rejects(
    api.call(deployments.deleteDeployment, { params: { organization_id, deployment_id: 'd' } }),
    (error: unknown) => error instanceof ApiProblem && error.code === 'unreachable',
  );
});

test('a tagged answer comes with its ETag, and a change names it', async () => {
  const { api, sent } = apiWith([json({ id: 'd' }, { headers: { etag: '"1"' } }), json({ id: 'd' })]);
  const params = { organization_id, deployment_id: 'd' };
  const { etag } = await api.callTagged(deployments.showDeployment, { params });
  await api.call(deployments.updateDeployment, { params, body: { enabled: false }, ifMatch: etag });
  assert.equal(sent[1]?.init.headers['if-match'], '"1"');
});

const exported = { params: { organization_id, certificate_id: 'c' }, body: { format: 'pem' } } as const;

test('who has to prove themselves again is asked, and the call is repeated', async () => {
  const { api, sent } = apiWith([problem(403, 'reauthentication_required'), json({ files: [] })], {
    reauthenticate: async () => true,
  });
  assert.deepEqual(await api.call(certificates.exportCertificate, exported), { files: [] });
  assert.equal(sent.length, 2);
});

test('who has to prove themselves only where a link makes an operator is asked as well', async () => {
  const { api } = apiWith([problem(403, 'reauthentication_required'), json({ state: 'joined' })], {
    reauthenticate: async () => true,
  });
  assert.deepEqual(await api.call(acceptLink, { body: { token: 'A'.repeat(43) } }), { state: 'joined' });
});

test('who does not prove themselves gets the refusal', async () => {
  const { api, sent } = apiWith([problem(403, 'reauthentication_required')]);
  await assert.rejects(api.call(certificates.exportCertificate, exported), /about reauthentication_required/);
  assert.equal(sent.length, 1);
});

test('the end of a session is told, and is still an error', async () => {
  let ended = 0;
  const { api } = apiWith([problem(401, 'unauthenticated', { 'retry-after': '7', 'request-id': 'abc' })], {
    onSignedOut: () => ended++,
  });
  const call = api.call(certificates.listCertificates, { params: { organization_id } });
  await assert.rejects(call, (error: ApiProblem) => {
    assert.deepEqual(
      [error.code, error.status, error.retryAfterSeconds, error.requestId],
      ['unauthenticated', 401, 7, 'abc'],
    );
    return true;
  });
  assert.equal(ended, 1);
});

test('an answer that is not ours is an error that says its status', async () => {
  const { api } = apiWith([new Response('<h1>Bad gateway</h1>', { status: 502 })]);
  const call = api.call(certificates.listCertificates, { params: { organization_id } });
  await assert.rejects(call, (error: ApiProblem) => error.code === 'unexpected_answer' && error.status === 502);
});

test('keys are unique and fit a header', () => {
  const keys = new Set(Array.from({ length: 100 }, newIdempotencyKey));
  assert.equal(keys.size, 100);
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
});
