import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { closeAfter, listenOnLoopback } from './loopback.testing.ts';
import { toyCarrier, toyLink } from './toy-carrier.testing.ts';
import { encodeToy, toyPdu } from './toy-protocol.testing.ts';
import { ask } from './toy-session.testing.ts';

/** A server that does this with each connection, and counts them. */
async function bareServer(t: TestContext, onConnection: (socket: Socket) => void) {
  const state = { connections: 0, port: 0 };
  const server = createServer((socket) => {
    state.connections += 1;
    closeAfter(t, socket);
    onConnection(socket);
  });
  state.port = await listenOnLoopback(t, server);
  return state;
}

test('a link binds, submits, and drains when it is stopped', async (t) => {
  const carrier = await toyCarrier(t);
  const { link, start, stop, reaches } = toyLink(t, carrier.port);
  assert.deepEqual(await link.submit(ask('early')), { kind: 'not-sent', why: 'session-ended' });
  assert.notEqual(link.downSince, undefined);
  start();
  assert.equal((await reaches('bound')).lastError, undefined);
  assert.equal(link.downSince, undefined);
  const outcome = link.submit(ask('text'));
  await stop();
  assert.equal((await outcome).kind, 'answered');
  assert.equal(link.status.state, 'closed');
  assert.notEqual(link.downSince, undefined);
  assert.equal(carrier.sessions.size, 0);
});

test('a carrier may send requests over the link', async (t) => {
  const carrier = await toyCarrier(t);
  const { start, reaches } = toyLink(t, carrier.port);
  start();
  await reaches('bound');
  const [session] = carrier.sessions;
  const outcome = await session?.submit(ask('receipt'));
  assert.deepEqual(outcome, { kind: 'answered', response: toyPdu('requestResponse', 1, 'receipt') });
});

test('a refused bind is told with the code and words of the carrier, and tried again with growing waits', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let attempts = 0;
  const { promise: third, resolve } = Promise.withResolvers<void>();
  const server = await bareServer(t, (socket) => {
    socket.on('data', () => {
      attempts += 1;
      socket.write(encodeToy(toyPdu('bindResponse', 1, 'wrong\u0007 password')));
      if (attempts === 3) resolve();
    });
  });
  const { start, stop, reaches, seen } = toyLink(t, server.port);
  start();
  const { lastError, refusal } = await reaches('refused');
  assert.deepEqual(refusal, { code: 14, words: 'wrong  password' });
  assert.equal(lastError, 'the carrier refused the bind: wrong  password');
  t.mock.timers.tick(999);
  assert.equal(attempts, 1);
  await refusedAgain(() => t.mock.timers.tick(1), seen);
  assert.equal(attempts, 2);
  t.mock.timers.tick(1999);
  await refusedAgain(() => t.mock.timers.tick(1), seen);
  await third;
  assert.deepEqual(new Set(seen.map(({ state }) => state)), new Set(['connecting', 'refused']));
  await stop();
});

/** Does this and waits for one more status. */
async function refusedAgain(act: () => void, seen: readonly unknown[]): Promise<void> {
  const before = seen.length;
  await new Promise(setImmediate);
  act();
  while (seen.length === before) await new Promise(setImmediate);
}

test('a carrier that takes the bind and closes at once is tried with growing waits', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = await bareServer(t, (socket) => {
    socket.once('data', () => socket.end(encodeToy(toyPdu('bindResponse', 1))));
  });
  const { link, start, reaches, seen } = toyLink(t, server.port);
  start();
  for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    await reaches('waiting');
    assert.equal(link.status.lastError, 'the carrier closed the connection');
    await new Promise(setImmediate);
    const before = server.connections;
    t.mock.timers.tick(wait - 1);
    assert.equal(link.status.state, 'waiting');
    assert.equal(server.connections, before);
    t.mock.timers.tick(1);
    assert.equal(seen.at(-1)?.state, 'waiting');
    await reaches('bound');
  }
});

test('after a bind that held the first wait is short again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const sockets: Socket[] = [];
  const server = await bareServer(t, (socket) => {
    sockets.push(socket);
    socket.once('data', () => socket.write(encodeToy(toyPdu('bindResponse', 1))));
  });
  const { link, start, reaches } = toyLink(t, server.port, { clock: { now: () => now } });
  start();
  for (const [held, wait] of [
    [0, 1000],
    [0, 2000],
    [30_000, 1000],
    [29_999, 2000],
    [60_000, 1000],
  ] as const) {
    await reaches('bound');
    now += held;
    sockets.at(-1)?.end();
    await reaches('waiting');
    assert.equal(link.downSince, now);
    await new Promise(setImmediate);
    t.mock.timers.tick(wait - 1);
    await new Promise(setImmediate);
    assert.equal(link.status.state, 'waiting', `after ${held} ms`);
    t.mock.timers.tick(1);
  }
});

test('a carrier that is not there is told, and so is the wait', async (t) => {
  const server = createServer();
  const port = await listenOnLoopback(t, server);
  server.close();
  await once(server, 'close');
  const { link, start, stop, reaches } = toyLink(t, port);
  start();
  assert.equal((await reaches('waiting')).lastError, 'the server refused the connection (ECONNREFUSED)');
  await stop();
  assert.equal(link.status.state, 'closed');
});

test('a carrier that does not answer the bind is left', async (t) => {
  const server = await bareServer(t, (socket) => socket.resume());
  const limits = { window: 10, responseTimeoutMs: 30, keepAliveMs: 30_000, inbound: 500 };
  const { link, start, reaches } = toyLink(t, server.port, { limits });
  start();
  assert.equal((await reaches('waiting')).lastError, 'the carrier did not answer the bind');
  assert.equal(link.session, undefined);
});

test('a carrier that closes before the bind is answered is left', async (t) => {
  const server = await bareServer(t, (socket) => socket.end());
  const { start, reaches } = toyLink(t, server.port);
  start();
  assert.equal((await reaches('waiting')).lastError, 'no answer to the bind: the carrier closed the connection');
});

test('a bind that does not fit is told without its content', async (t) => {
  const carrier = await toyCarrier(t);
  const bindRequest = (sequence: number) => toyPdu('bind', sequence, 'secret'.repeat(500));
  const { start, reaches } = toyLink(t, carrier.port, { bindRequest });
  start();
  assert.equal((await reaches('waiting')).lastError, 'the settings of the link do not fit into a bind');
});

test('a link that is stopped while it connects or binds ends at once', async (t) => {
  const server = await bareServer(t, (socket) => socket.resume());
  for (const isBinding of [false, true]) {
    const { link, start, stop } = toyLink(t, server.port, { drainLimitMs: 60_000 });
    const before = server.connections;
    start();
    while (isBinding && server.connections === before) await new Promise(setImmediate);
    await stop();
    assert.equal(link.status.state, 'closed');
    assert.equal(link.status.lastError, undefined);
  }
});

test('a link over a path that swallows everything is found and set up again', async (t) => {
  const carrier = await toyCarrier(t);
  let isSwallowing = false;
  const proxy = await bareServer(t, (socket) => {
    const onward = connect(carrier.port, '127.0.0.1');
    closeAfter(t, onward);
    socket.on('data', (chunk) => isSwallowing || onward.write(chunk));
    onward.on('data', (chunk) => isSwallowing || socket.write(chunk));
  });
  const limits = { window: 10, responseTimeoutMs: 1_000, keepAliveMs: 100, inbound: 500 };
  const { link, start, reaches } = toyLink(t, proxy.port, { limits });
  start();
  await reaches('bound');
  isSwallowing = true;
  const outcome = link.submit(ask('lost'));
  const { lastError } = await reaches('waiting');
  assert.equal(lastError, 'the carrier did not answer a keep-alive');
  assert.equal((await outcome).kind, 'unanswered');
  isSwallowing = false;
  await reaches('bound');
  assert.equal((await link.submit(ask('found'))).kind, 'answered');
});

test('during the farewell of the carrier the link counts as down', async (t) => {
  const server = await bareServer(t, (socket) => {
    socket.once('data', () => {
      socket.write(encodeToy(toyPdu('bindResponse', 1)));
      socket.once('data', () => socket.write(encodeToy(toyPdu('farewell', 1))));
    });
  });
  const { link, start, reaches } = toyLink(t, server.port);
  start();
  await reaches('bound');
  void link.submit(ask('under way'));
  while (link.session !== undefined) await new Promise(setImmediate);
  assert.equal(link.status.state, 'bound');
  assert.notEqual(link.downSince, undefined);
  assert.equal((await link.submit(ask('next'))).kind, 'not-sent');
});
