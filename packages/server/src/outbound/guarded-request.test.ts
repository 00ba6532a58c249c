import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkSet } from '../http/request/ip-address.ts';
import { makeAgent } from './attempt.testing.ts';
import { startTrialDns } from './dns-server.testing.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import { guardedRequest, type RequestEnd, type RequestLimits } from './guarded-request.ts';
import { dnsResolver } from './host-resolver.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';
import { parseTargetUrl } from './target-url.ts';

test('a request without a body is a GET, one with a body a POST, and the whole answer comes back', async () => {
  await using receiver = await startTrialReceiver();
  receiver.serve = (socket) => socket.write(reply(418, 'short and stout', { 'X-Kind': 'teapot' }));
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/a?b=c`;
  const end = await request(agent, url);
  assert.ok(end.kind === 'answered');
  assert.equal(end.status, 418);
  assert.equal(end.headers['x-kind'], 'teapot');
  assert.equal(end.body.toString(), 'short and stout');
  assert.deepEqual([end.truncated, end.mayShow, end.address], [false, false, '127.0.0.1']);
  await request(agent, url, {}, '{}');
  assert.deepEqual(
    receiver.requests.map((head) => head.split('\r\n')[0]),
    ['GET /a?b=c HTTP/1.1', 'POST /a?b=c HTTP/1.1'],
  );
});

test('another method is sent with a body or without one', async () => {
  await using receiver = await startTrialReceiver();
  receiver.serve = (socket) => socket.write(reply(200, ''));
  using agent = makeAgent();
  const parsed = parseTargetUrl(`http://127.0.0.1:${receiver.port}/a`);
  assert.ok(parsed.ok);
  const limits = { timeoutMs: 5000, maxBytes: 1000, signal: new AbortController().signal };
  const common = { target: parsed.target, query: '', headers: {} };
  await guardedRequest(agent, { ...common, method: 'DELETE' }, limits);
  await guardedRequest(agent, { ...common, method: 'PUT', body: '{}' }, limits);
  assert.deepEqual(
    receiver.requests.map((head) => head.split('\r\n')[0]),
    ['DELETE /a HTTP/1.1', 'PUT /a HTTP/1.1'],
  );
});

test('a body in the smallest chunks is put together', async () => {
  await using receiver = await startTrialReceiver();
  const text = 'Waxwing '.repeat(500);
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  receiver.serve = (socket) => socket.write(`${head}${[...text].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`);
  using agent = makeAgent();
  const end = await request(agent, `http://127.0.0.1:${receiver.port}/`);
  assert.equal(end.kind === 'answered' && end.body.toString(), text);
});

test('a body that never ends is cut, and its connection closed', async () => {
  await using receiver = await startTrialReceiver();
  const closed = Promise.withResolvers<void>();
  receiver.serve = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n');
    const more = () => {
      while (socket.write(`1000\r\n${'x'.repeat(0x1000)}\r\n`));
    };
    socket.on('drain', more);
    socket.on('close', closed.resolve);
    more();
  };
  using agent = makeAgent();
  const end = await request(agent, `http://127.0.0.1:${receiver.port}/`, { maxBytes: 10_000 });
  assert.ok(end.kind === 'answered');
  assert.deepEqual([end.truncated, end.body.length], [true, 10_000]);
  await closed.promise;
  assert.equal(agent.size, 0);
});

test('a body of exactly the most is whole', async () => {
  await using receiver = await startTrialReceiver();
  receiver.serve = (socket) => socket.write(reply(200, 'x'.repeat(1000)));
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (const [maxBytes, truncated] of [
    [1000, false],
    [999, true],
  ] as const) {
    const end = await request(agent, url, { maxBytes });
    assert.ok(end.kind === 'answered');
    assert.deepEqual([end.truncated, end.body.length], [truncated, maxBytes]);
  }
});

test('one time limit holds over a silent name server, a silent server, slow headers and a slow body', async () => {
  await using dns = await startTrialDns();
  dns.silent = true;
  await using receiver = await startTrialReceiver();
  using agent = makeAgent({}, { resolve: dnsResolver(dns.resolver) });
  const here = `http://127.0.0.1:${receiver.port}/`;
  const timers: NodeJS.Timeout[] = [];
  const drip = (first: string) => (socket: { write(text: string): unknown }) => {
    socket.write(first);
    timers.push(setInterval(() => socket.write('x'), 20));
  };
  const cases: readonly (readonly [string, typeof receiver.serve])[] = [
    [`http://slow.example:${receiver.port}/`, () => {}],
    [here, () => {}],
    [here, drip('HTTP/1.1 200 OK\r\nX-Long: ')],
    [here, drip('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')],
  ];
  for (const [url, serve] of cases) {
    receiver.serve = serve;
    assert.equal((await request(agent, url, { timeoutMs: 200 })).kind, 'timedOut');
  }
  for (const timer of timers) clearInterval(timer);
  assert.equal(agent.size, 0);
});

test('a redirect is an answer, and nobody goes where it leads', async () => {
  await using forbidden = await startTrialReceiver();
  await using receiver = await startTrialReceiver('127.0.0.2');
  using agent = makeAgent({}, { allowed: networkSet(['127.0.0.2']) });
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.serve = (socket) =>
      socket.write(reply(status, '', { Location: `http://127.0.0.1:${forbidden.port}/secret` }));
    const end = await request(agent, `http://127.0.0.2:${receiver.port}/`);
    assert.equal(end.kind === 'answered' && end.status, status);
  }
  assert.equal(forbidden.connections, 0);
});

test('neither a private address nor a name that resolves to one is dialled', async () => {
  await using forbidden = await startTrialReceiver();
  await using dns = await startTrialDns({ 'inside.example': ['127.0.0.1'], 'mixed.example': ['1.1.1.1', '127.0.0.1'] });
  using agent = makeAgent({}, { allowed: networkSet([]), resolve: dnsResolver(dns.resolver) });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', 'inside.example', 'mixed.example']) {
    const end = await request(agent, `http://${host}:${forbidden.port}/`);
    assert.equal(end.kind, 'blocked', host);
  }
  assert.deepEqual(await request(agent, 'http://nowhere.example/'), { kind: 'unresolved', code: 'ENOTFOUND' });
  assert.equal(forbidden.connections, 0);
});

test('what is no HTTP, breaks off, or is refused is told apart', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  receiver.serve = (socket) => socket.end('220 mail.example ESMTP\r\n');
  assert.equal((await request(agent, url)).kind, 'broken');
  receiver.serve = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort');
  assert.equal((await request(agent, url)).kind, 'broken');
  const closed = await startTrialReceiver();
  await closed[Symbol.asyncDispose]();
  assert.equal((await request(agent, `http://127.0.0.1:${closed.port}/`)).kind, 'refused');
});

test('an aborted signal ends a request at any point', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  assert.deepEqual(await request(agent, url, { signal: AbortSignal.abort() }), { kind: 'cutOff' });
  const stop = new AbortController();
  receiver.serve = () => stop.abort();
  assert.equal((await request(agent, url, { signal: stop.signal })).kind, 'cutOff');
  assert.equal(agent.size, 0);
});

function request(
  agent: GuardedAgent,
  url: string,
  limits: Partial<RequestLimits> = {},
  body?: string,
): Promise<RequestEnd> {
  const parsed = parseTargetUrl(url);
  assert.ok(parsed.ok, url);
  const { target } = parsed;
  const sent = { target, query: target.ownQuery, headers: {}, ...(body !== undefined && { body }) };
  const signal = new AbortController().signal;
  return guardedRequest(agent, sent, { timeoutMs: 5000, maxBytes: 100_000, signal, ...limits });
}
