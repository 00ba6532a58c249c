import assert from 'node:assert/strict';
import { type Socket, connect as tcpConnect } from 'node:net';
import { test } from 'node:test';
import { attempt, facts, makeAgent } from './attempt.testing.ts';
import { startTrialDns } from './dns-server.testing.ts';
import { dnsResolver } from './host-resolver.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';

test('a receiver gets one GET with our query and headers, and 200 is shown as status only from a private address', async () => {
  await using receiver = await startTrialReceiver();
  receiver.serve = (socket) => socket.write(reply(200, 'secret page'));
  using agent = makeAgent();
  const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/status?key=a%2fb`);
  assert.deepEqual(facts(outcome), { kind: 'answered', status: 200, address: '127.0.0.1' });
  assert.ok(outcome.ms >= 0 && outcome.ms < 5000);
  assert.deepEqual(receiver.requests, [
    `GET /status?key=a%2fb&mobile=1 HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\nconnection: keep-alive\r\nwebhook-id: w1`,
  ]);
});

test('every status is an answer, and no redirect is followed', async () => {
  await using forbidden = await startTrialReceiver();
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const location = { Location: `http://127.0.0.1:${forbidden.port}/` };
  for (const status of [200, 201, 204, 301, 302, 303, 307, 308, 400, 404, 429, 500, 503]) {
    receiver.serve = (socket) => socket.write(status === 204 ? 'HTTP/1.1 204 No\r\n\r\n' : reply(status, '', location));
    const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
    assert.deepEqual(facts(outcome), { kind: 'answered', status, address: '127.0.0.1' });
  }
  assert.equal(forbidden.connections, 0);
  assert.equal(receiver.connections, 1, 'one connection served them all');
});

test('an interim response is not the answer', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  receiver.serve = (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${reply(200)}`);
  const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
  assert.equal(outcome.kind === 'answered' && outcome.status, 200);
});

test('Retry-After is kept as it came, but not without end', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  for (const [sent, kept] of [
    ['120', '120'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['9'.repeat(100), '9'.repeat(64)],
    ['1\r\nRetry-After: 2', '1'],
  ] as const) {
    receiver.serve = (socket) => socket.write(reply(503, '', { 'Retry-After': sent }));
    const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
    assert.equal(outcome.kind === 'answered' && outcome.retryAfter, kept);
  }
});

test('a public answer is shown up to 1 KiB, as text without a cut character or U+0000', async () => {
  await using receiver = await startTrialReceiver();
  // A connection that says it leads to a public address, but ends at the receiver.
  using agent = makeAgent({ openSocket: () => publicSocket(receiver.port) });
  const shown = async (body: string) => {
    receiver.serve = (socket) => socket.write(reply(500, body));
    const outcome = await attempt(agent, 'http://93.184.216.34/');
    assert.equal(outcome.address, '93.184.216.34');
    return outcome.kind === 'answered' ? outcome.excerpt : undefined;
  };
  assert.equal(await shown(''), '');
  assert.equal(await shown('数据库 down\0'), '数据库 down\ufffd');
  assert.equal(await shown('x'.repeat(5000)), 'x'.repeat(1024));
  assert.equal(await shown(`${'x'.repeat(1022)}数据`), 'x'.repeat(1022));
});

test('one name with several addresses is reached at the one that answers', async () => {
  await using receiver = await startTrialReceiver('127.0.0.3');
  await using dns = await startTrialDns({ 'many.example': ['127.0.0.2', '127.0.0.3'] });
  using agent = makeAgent({}, { resolve: dnsResolver(dns.resolver) });
  const outcome = await attempt(agent, `http://many.example:${receiver.port}/`);
  assert.deepEqual(facts(outcome), { kind: 'answered', status: 200, address: '127.0.0.3' });
});

test('whatever takes too long is timed out: no answer, slow headers, a slow body', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const beginnings = ['', 'HTTP/1.1 200 OK\r\nContent-', reply(200, 'x', { 'Content-Length': '2' })];
  for (const beginning of beginnings) {
    receiver.serve = (socket) => socket.write(beginning);
    const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`, 100);
    assert.deepEqual(facts(outcome), { kind: 'timedOut', address: '127.0.0.1' });
    assert.ok(outcome.ms >= 95 && outcome.ms < 3000, `${outcome.ms}`);
  }
  assert.equal(agent.size, 0, 'no connection outlives its attempt');
});

test('a body that trickles does not move the limit', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  receiver.serve = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(drip));
  };
  const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`, 150);
  assert.equal(outcome.kind, 'timedOut');
});

test('a resolver that stays silent is within the limit, too', async () => {
  await using dns = await startTrialDns();
  dns.silent = true;
  using agent = makeAgent({}, { resolve: dnsResolver(dns.resolver) });
  const outcome = await attempt(agent, 'http://silent.example/', 100);
  assert.deepEqual(facts(outcome), { kind: 'timedOut' });
  assert.equal(agent.size, 0);
});

test('an endless body is read to 64 KiB, then its connection is closed', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const closed = Promise.withResolvers<number>();
  receiver.serve = (socket) => {
    let written = 0;
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const pour = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(16_384))) written += 16_384;
    };
    socket.on('drain', pour);
    socket.on('close', () => closed.resolve(written));
    pour();
  };
  const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
  assert.deepEqual(facts(outcome), { kind: 'answered', status: 200, address: '127.0.0.1' });
  await closed.promise;
  assert.equal(agent.size, 0);
});

test('a connection that ends before the answer does is broken', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const endings: Readonly<Record<string, (socket: Socket) => void>> = {
    'half-close without an answer': (socket) => socket.end(),
    'half-close in the head': (socket) => socket.end('HTTP/1.1 200 O'),
    'half-close in the body': (socket) => socket.end(reply(200, 'x', { 'Content-Length': '9' })),
    'half-close in a chunked body': (socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
    'reset without an answer': (socket) => socket.resetAndDestroy(),
    'no HTTP at all': (socket) => socket.end('220 mail.example ESMTP\r\n'),
    'a head without end': (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    'an upgrade nobody asked for': (socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  };
  for (const [name, serve] of Object.entries(endings)) {
    receiver.serve = serve;
    const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
    assert.equal(outcome.kind, 'broken', name);
    assert.equal(outcome.address, '127.0.0.1', name);
  }
  receiver.serve = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end');
  assert.equal((await attempt(agent, `http://127.0.0.1:${receiver.port}/`)).kind, 'answered', 'a body may end so');
});

test('a port where nobody listens refuses', async () => {
  const receiver = await startTrialReceiver();
  await receiver[Symbol.asyncDispose]();
  using agent = makeAgent();
  const outcome = await attempt(agent, `http://127.0.0.1:${receiver.port}/`);
  assert.deepEqual(facts(outcome), { kind: 'refused', code: 'ECONNREFUSED', address: '127.0.0.1' });
});

test('what we cut off ourselves is told from what the receiver did', async () => {
  await using receiver = await startTrialReceiver();
  const arrived = Promise.withResolvers<void>();
  receiver.serve = () => arrived.resolve();
  using agent = makeAgent();
  const ending = new AbortController();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const running = [1, 2, 3].map(() => attempt(agent, url, 5000, ending.signal));
  await arrived.promise;
  ending.abort();
  for (const outcome of await Promise.all(running)) assert.equal(outcome.kind, 'cutOff');
  assert.equal((await attempt(agent, url, 5000, ending.signal)).kind, 'cutOff');
  const last = attempt(agent, url);
  agent.close();
  assert.equal((await last).kind, 'cutOff');
  assert.equal((await attempt(agent, url)).kind, 'cutOff');
  assert.equal(agent.size, 0);
});

test('connections are reused, replaced when the receiver closes them, and no more are kept than allowed', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent({ maxIdle: 2 });
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (let round = 0; round < 3; round++) {
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => attempt(agent, url)));
    assert.ok(outcomes.every((outcome) => outcome.kind === 'answered'));
    assert.ok(agent.size <= 2);
  }
  assert.equal(receiver.connections, 5 + 3 + 3);
});

test('a receiver that closes after each answer without saying so is served all the same', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  receiver.serve = (socket) => socket.end(reply(200));
  for (let round = 0; round < 6; round++) {
    assert.equal((await attempt(agent, `http://127.0.0.1:${receiver.port}/`)).kind, 'answered');
  }
});

test('a reused connection that turns out to be closed costs nothing but a second request', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  // At the second request of a connection: gone. On a new one the answer comes.
  let served = 0;
  receiver.serve = (socket) => (++served === 2 ? socket.resetAndDestroy() : socket.write(reply(200)));
  assert.equal((await attempt(agent, url)).sentTwice, undefined);
  const repeated = await attempt(agent, url);
  assert.deepEqual(facts(repeated), { kind: 'answered', status: 200, address: '127.0.0.1', sentTwice: true });
  assert.equal(served, 3);

  // Once, and only before the answer has begun.
  receiver.serve = (socket) => socket.resetAndDestroy();
  const twice = await attempt(agent, url);
  assert.deepEqual([twice.kind, twice.sentTwice], ['broken', true]);
  const fresh = await attempt(agent, url);
  assert.deepEqual([fresh.kind, fresh.sentTwice], ['broken', undefined]);
  receiver.serve = (socket) => socket.write(reply(200));
  await attempt(agent, url);
  receiver.serve = (socket) => socket.end('HTTP/1.1 200 O');
  const halfway = await attempt(agent, url);
  assert.deepEqual([halfway.kind, halfway.sentTwice], ['broken', undefined]);
});

test('a kept connection that had to be dialled again is a new one: when it hangs up, nothing is sent once more', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (let round = 1; round <= 20; round += 1) {
    // It stands among the unused ones until its socket is closed, which is after the answer.
    receiver.serve = (socket) => socket.end(reply(200, '', { Connection: 'close' }));
    assert.equal((await attempt(agent, url)).kind, 'answered');
    receiver.serve = (socket) => socket.destroy();
    const outcome = await attempt(agent, url);
    assert.deepEqual([outcome.kind, outcome.sentTwice, receiver.requests.length], ['broken', undefined, 2 * round]);
  }
});

test('a connection is given up after five minutes, so that a move in DNS is followed', async () => {
  await using receiver = await startTrialReceiver();
  let passed = 0;
  using agent = makeAgent({ clock: { now: Date.now, monotonic: () => passed } });
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (passed = 0; passed <= 600_000; passed += 100_000) await attempt(agent, url);
  assert.equal(receiver.connections, 2);
});

/** A socket to the receiver that claims another peer. */
function publicSocket(port: number): Socket {
  const socket = tcpConnect(port, '127.0.0.1');
  Object.defineProperty(socket, 'remoteAddress', { get: () => '93.184.216.34' });
  return socket;
}
