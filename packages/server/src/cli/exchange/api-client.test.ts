import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { selfSigned, withoutOpenssl } from '../../http/self-signed.testing.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { apiClient } from './api-client.ts';
import { httpsConnection } from './https-exchange.ts';
import type { RemoteTarget } from './remote-target.ts';

const remoteServer = (target: RemoteTarget) => apiClient(httpsConnection(target));

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function remoteOf(t: TestContext, answer: RequestListener) {
  const port = await listen(t, createServer(answer));
  return remoteServer({ url: `http://127.0.0.1:${port}`, token: new SecretText('wxa_x'), ca: undefined });
}

const json = { 'content-type': 'application/json' };
const problem = { 'content-type': 'application/problem+json; charset=utf-8' };

function refusal(code: string, message: RegExp) {
  return (error: unknown) => error instanceof Problem && error.code === code && message.test(error.message);
}

test('a list is read page by page until as many are found as are wanted', async (t) => {
  const asked: (string | undefined)[] = [];
  const remote = await remoteOf(t, ({ url }, response) => {
    asked.push(url);
    const cursor = Number(new URL(url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
    const items = [{ id: `${2 * cursor}` }, { id: `${2 * cursor + 1}` }];
    response.writeHead(200, json).end(JSON.stringify({ items, next_cursor: cursor < 4 ? `${cursor + 1}` : null }));
  });
  const ids = async (part?: Parameters<typeof remote.list<'listOrganizations'>>[2]) =>
    (await remote.list('listOrganizations', {}, part)).map(({ id }) => id).join('');
  assert.equal(await ids({ limit: 4 }), '0123');
  assert.deepEqual(asked, ['/api/v1/organizations?limit=4', '/api/v1/organizations?limit=2&cursor=1']);
  assert.equal(await ids(), '0123456789');
});

test('a problem of the server is told in its own words, with its faults', async (t) => {
  const faults = [{ field: 'name', message: 'is missing' }];
  const remote = await remoteOf(t, (_request, response) => {
    response
      .writeHead(400, problem)
      .end(JSON.stringify({ code: 'invalid_parameter', detail: 'No.', field: 'name', faults }));
  });
  await assert.rejects(remote.call('createOrganization', { body: { name: 'x' } }), (error: Problem) => {
    assert.deepEqual(
      [error.code, error.message, error.field, error.faults],
      ['invalid_parameter', 'No.', 'name', faults],
    );
    return true;
  });
});

test('what is no Waxwing server is told apart, and a redirect is not followed', async (t) => {
  const seen: string[] = [];
  const remote = await remoteOf(t, ({ url = '' }, response) => {
    seen.push(url);
    if (url.includes('cursor')) response.writeHead(200, json).end('<html>');
    else if (url.includes('/messages')) response.writeHead(400, problem).end('\u001b]0;x\u0007');
    else if (url.includes('/instance/')) response.writeHead(502, { 'content-type': 'text/html' }).end('<html>');
    else response.writeHead(301, { location: 'https://elsewhere.example.com/' }).end();
  });
  await assert.rejects(remote.call('listRoutes'), refusal('service_unavailable', /not the management API.*status 502/));
  await assert.rejects(
    remote.call('listOrganizations', { query: { cursor: 'x' } }),
    refusal('service_unavailable', /no JSON/),
  );
  await assert.rejects(
    remote.call('listMessages', { params: { organization_id: 'o' } }),
    refusal('service_unavailable', /^\P{Cc}*no JSON/u),
  );
  await assert.rejects(
    remote.call('listOrganizations'),
    refusal('service_unavailable', /a redirect to https:\/\/elsewhere/),
  );
  assert.equal(seen.length, 4);
});

test('a creation that was cut off is asked for once more under its key, another change is not', async (t) => {
  const seen: [string | undefined, unknown][] = [];
  const remote = await remoteOf(t, (request, response) => {
    seen.push([request.url, request.headers['idempotency-key']]);
    if (seen.length === 2) response.writeHead(201, json).end('{"id":"o"}');
    else request.socket.destroy();
  });
  assert.deepEqual(await remote.call('createOrganization', { body: { name: 'x' } }), { id: 'o' });
  assert.equal(seen[0]?.[1], seen[1]?.[1]);
  const suspension = remote.call('suspendOrganization', { params: { organization_id: 'o' } });
  await assert.rejects(suspension, refusal('service_unavailable', /ECONNRESET.*whether the command was carried out/));
  assert.equal(seen.length, 3);
});

test('a server with a certificate of an own authority is trusted where that is named', {
  skip: withoutOpenssl,
}, async (t) => {
  const { cert, key } = selfSigned('localhost');
  const answer: RequestListener = (_request, response) =>
    response.writeHead(200, json).end('{"items":[],"next_cursor":null}');
  const port = await listen(t, createSecureServer({ cert, key }, answer));
  const target = { url: `https://localhost:${port}`, token: new SecretText('wxa_x') };
  const untrusting = remoteServer({ ...target, ca: undefined });
  await assert.rejects(untrusting.list('listOrganizations', {}), refusal('service_unavailable', /SELF_SIGNED/));
  assert.deepEqual(await remoteServer({ ...target, ca: cert.toString() }).list('listOrganizations', {}), []);
});
