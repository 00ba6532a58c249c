import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createReadiness, registerProbes } from './probes.ts';
import { networkSet } from './request/ip-address.ts';
import { selfSigned, withoutOpenssl } from './self-signed.testing.ts';
import { createHttpServer } from './server.ts';

const most = 8;
const clock = { now: () => 0, monotonic: () => 0 };
const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(
  t: TestContext,
  options: { readonly proxies?: readonly string[]; readonly isSecure?: boolean; readonly headersMs?: number } = {},
) {
  const app = createHttpServer({
    log: { error: () => {}, warn: () => {} },
    clock,
    limits: {
      headerBytes: 16_384,
      connections: most,
      ...(options.headersMs !== undefined && { headersMs: options.headersMs }),
    },
    trustedProxies: networkSet(options.proxies ?? []),
    ...(options.isSecure === true && { tls: selfSigned('connections') }),
  });
  registerProbes(app, createReadiness({ needed: {} }));
  const slow = Promise.withResolvers<void>();
  app.get('/slow', async () => {
    await slow.promise;
    return 'slow';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  /** A connection that the server has accepted. */
  async function open(localAddress: string): Promise<Socket> {
    const accepted = once(app.server, options.isSecure === true ? 'secureConnection' : 'connection');
    const at = { host: '127.0.0.1', port, localAddress };
    const socket = options.isSecure === true ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
    sockets.push(socket);
    socket.on('error', () => {});
    await accepted;
    return socket;
  }

  /** A connection that has sent one byte, over TLS of its handshake, which has arrived. */
  async function begin(localAddress: string): Promise<Socket> {
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    const [served] = await accepted;
    socket.write(options.isSecure === true ? '\x16' : 'G');
    while (served.bytesRead === 0) await setImmediate();
    return socket;
  }

  return { open, begin, finishSlow: () => slow.resolve(), requests: () => once(app.server, 'request') };
}

/** Sends a request and takes its answer; fails where the connection ends instead. */
async function ask(socket: Socket, request = get): Promise<string> {
  const ended = once(socket, 'close').then(() => '');
  socket.write(request);
  return Promise.race([once(socket, 'data').then(([data]: Buffer[]) => String(data)), ended]);
}

async function fill(open: (address: string) => Promise<Socket>, addresses: readonly string[]): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const address of addresses) {
    const socket = await open(address);
    assert.match(await ask(socket), /^HTTP\/1\.1 200/);
    sockets.push(socket);
  }
  return sockets;
}

/** Not more than a quarter of the places each. */
const several = [
  '127.0.1.1',
  '127.0.1.1',
  '127.0.1.2',
  '127.0.1.2',
  '127.0.1.3',
  '127.0.1.3',
  '127.0.1.4',
  '127.0.1.4',
];

for (const isSecure of [false, true]) {
  const skip = isSecure ? withoutOpenssl : false;
  test(`when the places are taken the longest idle connection goes, ${isSecure ? 'over TLS' : 'over TCP'}`, {
    skip,
  }, async (t) => {
    const { open } = await serve(t, { isSecure });
    const sockets = await fill(open, several);
    // The first one has been used again, so the second one is idle longest.
    assert.match(await ask(sockets[0] as Socket), /^HTTP\/1\.1 200/);
    const gone = once(sockets[1] as Socket, 'close');
    const next = await open('127.0.1.9');
    assert.match(await ask(next), /^HTTP\/1\.1 200/);
    await gone;
    for (const [index, socket] of sockets.entries()) {
      if (index !== 1) assert.match(await ask(socket), /^HTTP\/1\.1 200/, `connection ${index}`);
    }
  });
}

test('a connection on which nothing was ever sent is idle as well', async (t) => {
  const { open } = await serve(t);
  const silent = await open('127.0.1.9');
  await fill(open, several.slice(1));
  const gone = once(silent, 'close');
  assert.match(await ask(await open('127.0.1.8')), /^HTTP\/1\.1 200/);
  await gone;
});

test('an address that holds more than a quarter of the places loses its own first', async (t) => {
  const { open } = await serve(t);
  const sockets = await fill(open, ['127.0.1.1', '127.0.1.2', '127.0.1.3', ...Array(5).fill('127.0.1.66')]);
  const gone = once(sockets[3] as Socket, 'close');
  assert.match(await ask(await open('127.0.1.4')), /^HTTP\/1\.1 200/);
  await gone;
  for (const socket of sockets.slice(0, 3)) assert.match(await ask(socket), /^HTTP\/1\.1 200/);
});

for (const isSecure of [false, true]) {
  const skip = isSecure ? withoutOpenssl : false;
  test(`an address that fills the places with a byte each loses the oldest, ${isSecure ? 'over TLS' : 'over TCP'}`, {
    skip,
  }, async (t) => {
    const { open, begin } = await serve(t, { isSecure });
    const [other] = await fill(open, ['127.0.1.1']);
    const greedy: Socket[] = [];
    while (greedy.length < most - 1) greedy.push(await begin('127.0.1.66'));
    const gone = once(greedy[0] as Socket, 'close');
    assert.match(await ask(await open('127.0.1.4')), /^HTTP\/1\.1 200/);
    await gone;
    assert.match(await ask(other as Socket), /^HTTP\/1\.1 200/);
  });
}

test('a TLS handshake that does not go on ends the connection when headers would be late', {
  skip: withoutOpenssl,
  timeout: 30_000,
}, async (t) => {
  const { begin } = await serve(t, { isSecure: true, headersMs: 50 });
  await once(await begin('127.0.1.1'), 'close');
});

test('connections of trusted proxies stay, however long they are idle and however many', async (t) => {
  const { open } = await serve(t, { proxies: ['127.0.2.0/24'] });
  const sockets = await fill(open, [...Array(7).fill('127.0.2.1'), '127.0.1.1']);
  const gone = once(sockets[7] as Socket, 'close');
  assert.match(await ask(await open('127.0.1.2')), /^HTTP\/1\.1 200/);
  await gone;
  for (const socket of sockets.slice(0, 7)) assert.match(await ask(socket), /^HTTP\/1\.1 200/);
});

test('a connection with a request under way stays, and where all have one the new connection is closed', async (t) => {
  const { open, finishSlow, requests } = await serve(t);
  const answers: Promise<string>[] = [];
  for (const [index, address] of several.entries()) {
    const socket = await open(address);
    if (index === 0) {
      socket.write('GET /heal');
      continue;
    }
    const begun = requests();
    answers.push(ask(socket, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'));
    await begun;
  }
  const refused = await open('127.0.1.9');
  assert.equal(await ask(refused), '');
  finishSlow();
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200/);
});
