import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket, connect as tcpConnect } from 'node:net';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { attempt, facts, makeAgent } from './attempt.testing.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('whatever bytes come, an attempt ends as one of its outcomes, within its limit', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const answers: Readonly<Record<string, readonly [bytes: string, outcome: string]>> = {
    'some interim answers': [`${'HTTP/1.1 103 Hints\r\nL: x\r\n\r\n'.repeat(32)}${reply(200)}`, 'answered'],
    'interim answers alone': ['HTTP/1.1 103 Hints\r\n\r\n'.repeat(32), 'timedOut'],
    'interim answers without number': [`${'HTTP/1.1 103 Hints\r\n\r\n'.repeat(33)}${reply(200)}`, 'broken'],
    'two lengths': ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'broken'],
    'a negative length': ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'broken'],
    'a length beyond numbers': [`HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`, 'broken'],
    'a length and chunks': [
      `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n${chunked.slice(17)}1\r\na\r\n0\r\n\r\n`,
      'broken',
    ],
    'a chunk beyond numbers': [`${chunked}${'F'.repeat(20)}\r\nabc`, 'broken'],
    'a chunk that never comes': [`${chunked}FFFFFFF\r\nabc`, 'timedOut'],
    'junk for a chunk': [`${chunked}zz\r\nabc`, 'broken'],
    'a long extension of a chunk': [`${chunked}1;${'x'.repeat(100_000)}\r\na\r\n0\r\n\r\n`, 'answered'],
    'trailers without number': [`${chunked}0\r\n${'X: y\r\n'.repeat(20_000)}\r\n`, 'broken'],
    'headers without number': [`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}\r\n`, 'broken'],
    'a status below 100': ['HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n', 'broken'],
    'a status of four digits': ['HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', 'broken'],
    'an encoding that is none': [reply(200, 'abc', { 'Content-Encoding': 'gzip' }), 'answered'],
  };
  for (const [name, [bytes, outcome]] of Object.entries(answers)) {
    receiver.serve = (socket) => socket.write(bytes, 'latin1');
    assert.equal((await attempt(agent, url, 300)).kind, outcome, name);
  }
});

test('what is sent beyond an answer is never taken for the next one', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const statusOf = async () => {
    const outcome = await attempt(agent, url);
    return outcome.kind === 'answered' ? outcome.status : outcome.kind;
  };
  receiver.serve = (socket) => socket.write(reply(500) + reply(200));
  assert.equal(await statusOf(), 500);
  assert.equal(await statusOf(), 500);
  // Later, on the idle connection.
  receiver.serve = (socket) => {
    socket.write(reply(503));
    setImmediate(() => socket.write(reply(200)));
  };
  assert.equal(await statusOf(), 503);
  receiver.serve = (socket) => socket.write(reply(404));
  assert.equal(await statusOf(), 404);
});

test('an address that swallows everything is named in the outcome, and its connection does not outlive the attempt', async () => {
  const socket = new Socket();
  using agent = makeAgent({ openSocket: () => socket });
  assert.deepEqual(facts(await attempt(agent, 'http://127.0.0.9/', 50)), { kind: 'timedOut', address: '127.0.0.9' });
  assert.deepEqual([socket.destroyed, agent.size], [true, 0]);
});

test('a handshake that stalls does not outlive the attempt', async () => {
  await using receiver = await startTrialReceiver();
  const dialled: Socket[] = [];
  using agent = makeAgent({
    openSocket: (options) => {
      const socket = tcpConnect(options);
      dialled.push(socket);
      return socket;
    },
  });
  const outcome = await attempt(agent, `https://127.0.0.1:${receiver.port}/`, 100);
  assert.deepEqual(facts(outcome), { kind: 'timedOut', address: '127.0.0.1' });
  const [socket = assert.fail()] = dialled;
  if (!socket.destroyed) await once(socket, 'close');
  assert.equal(receiver.connections, 1);
});

test('who hangs up before it can be judged has refused, and is not called forbidden', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent({
    openSocket: () => {
      const socket = tcpConnect(receiver.port, '127.0.0.1');
      Object.defineProperty(socket, 'remoteAddress', { get: () => undefined });
      return socket;
    },
  });
  const outcome = await attempt(agent, 'http://127.0.0.1/');
  assert.equal('code' in outcome && `${outcome.kind} ${outcome.code}`, 'refused ECONNRESET');
  assert.deepEqual(receiver.requests, []);
});

test('a literal IPv6 address is dialled, and named in the Host header with its brackets', async (t) => {
  const receiver = await startTrialReceiver('::1').catch(() => undefined);
  if (receiver === undefined) return t.skip('this machine has no IPv6');
  await using open = receiver;
  using agent = makeAgent();
  const outcome = await attempt(agent, `http://[0:0::1]:${open.port}/`);
  assert.deepEqual(facts(outcome), { kind: 'answered', status: 200, address: '::1' });
  assert.match(open.requests[0] ?? '', new RegExp(`\\r\\nhost: \\[::1\\]:${open.port}\\r\\n`));
});

test('the environment cannot switch the check of certificates off', async () => {
  const { chainPem, keyPem } = makeTrialCa({ now: Date.now() }).selfSigned({ domains: ['127.0.0.1'] });
  await using receiver = await startTrialReceiver('127.0.0.1', { cert: chainPem, key: keyPem });
  using agent = makeAgent();
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  try {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    assert.equal((await attempt(agent, `https://127.0.0.1:${receiver.port}/`)).kind, 'badCertificate');
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
  assert.deepEqual(receiver.requests, []);
});
