import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectedSockets } from './loopback.testing.ts';
import type { Session } from './session.ts';
import type { Outcome } from './session-outcome.ts';
import { encodeToy, type ToyPdu, toyPdu } from './toy-protocol.testing.ts';
import { ask, type ToySettings, toySession } from './toy-session.testing.ts';

async function connectedSessions(
  t: TestContext,
  settings: { readonly client?: ToySettings; readonly server?: ToySettings } = {},
): Promise<{ readonly client: Session<ToyPdu>; readonly server: Session<ToyPdu> }> {
  const [client, server] = await connectedSockets(t);
  return { client: toySession(t, client, settings.client), server: toySession(t, server, settings.server) };
}

const textOf = (outcome: Outcome<ToyPdu>): string =>
  outcome.kind === 'answered' ? outcome.response.text : `${outcome.kind}: ${outcome.why}`;

/** A handler that answers when told to. */
function heldRequests() {
  const held: { readonly request: ToyPdu; readonly answer: (pdu: ToyPdu | undefined) => void }[] = [];
  let onArrival = () => {};
  return {
    held,
    onRequest: (request: ToyPdu) =>
      new Promise<ToyPdu | undefined>((answer) => {
        held.push({ request, answer });
        onArrival();
      }),
    async arrival(count: number): Promise<void> {
      while (held.length < count) {
        await new Promise<void>((resolve) => {
          onArrival = resolve;
        });
      }
    },
  };
}

test('requests of both sides are answered at the same time', async (t) => {
  const { client, server } = await connectedSessions(t);
  const asked = Array.from({ length: 300 }, (_, index) => `text ${index}`);
  const [ofClient, ofServer] = await Promise.all(
    [client, server].map((session) => Promise.all(asked.map((text) => session.submit(ask(text))))),
  );
  assert.deepEqual(ofClient?.map(textOf), asked);
  assert.deepEqual(ofServer?.map(textOf), asked);
});

test('answers may come in any order', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client } = await connectedSessions(t, { server: { events: { onRequest } } });
  const outcomes = Promise.all(['a', 'b', 'c'].map((text) => client.submit(ask(text))));
  await arrival(3);
  for (const { request, answer } of held.reverse()) {
    answer(toyPdu('requestResponse', request.sequence, request.text.toUpperCase()));
  }
  assert.deepEqual((await outcomes).map(textOf), ['A', 'B', 'C']);
});

test('the window holds back what is beyond it, and keeps the order', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client } = await connectedSessions(t, {
    client: { limits: { window: 2 } },
    server: { events: { onRequest } },
  });
  const outcomes = ['a', 'b', 'c', 'd'].map((text) => client.submit(ask(text)));
  await arrival(2);
  assert.equal(client.windowUsed, 2);
  assert.equal(client.hasRoom, false);
  await client.tryConnection();
  assert.equal(held.length, 2, 'a keep-alive does not wait for the window');
  held[0]?.answer(toyPdu('requestResponse', held[0].request.sequence));
  await outcomes[0];
  await arrival(3);
  assert.deepEqual(
    held.map(({ request }) => request.text),
    ['a', 'b', 'c'],
  );
});

test('numbers begin again after the last one and pass over those that wait', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client } = await connectedSessions(t, {
    client: { protocol: { lastSequence: 5 } },
    server: { events: { onRequest } },
  });
  void client.submit(ask('held'));
  await arrival(1);
  for (let turn = 2; turn <= 12; turn += 1) {
    const outcome = client.submit(ask('next'));
    await arrival(turn);
    const { request, answer } = held[turn - 1] ?? assert.fail();
    answer(toyPdu('requestResponse', request.sequence));
    await outcome;
  }
  assert.deepEqual(
    held.map(({ request }) => request.sequence),
    [1, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4],
  );
});

test('a request that cannot be encoded is not sent, and the session goes on', async (t) => {
  const { client } = await connectedSessions(t);
  const tooLong = await client.submit(ask('x'.repeat(2000)));
  assert.equal(textOf(tooLong), 'not-sent: cannot-encode');
  assert.equal(textOf(await client.submit(ask('short'))), 'short');
  assert.equal(client.windowUsed, 0);
});

test('a handler that fails leaves its request unanswered and the session usable', async (t) => {
  const failures: unknown[] = [];
  const { client } = await connectedSessions(t, {
    client: { limits: { responseTimeoutMs: 1_000 } },
    server: {
      events: {
        onRequest: async ({ sequence, text }) => {
          if (text === 'fail') throw new Error('no database');
          return toyPdu('requestResponse', sequence, text === 'long' ? 'x'.repeat(2000) : text);
        },
        onRequestFailed: (error) => failures.push(error),
      },
    },
  });
  assert.equal(textOf(await client.submit(ask('fail'))), 'unanswered: time-out');
  assert.equal(textOf(await client.submit(ask('long'))), 'unanswered: time-out');
  assert.equal(textOf(await client.submit(ask('fine'))), 'fine');
  assert.deepEqual(failures.map(String), ['Error: no database', 'RangeError: the text is too long']);
});

test('draining waits for responses, says farewell and closes', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client, server } = await connectedSessions(t, { server: { events: { onRequest } } });
  client.markBound();
  const outcome = client.submit(ask('last'));
  await arrival(1);
  const drained = client.drain(5000);
  assert.equal(textOf(await client.submit(ask('too late'))), 'not-sent: session-ending');
  held[0]?.answer(toyPdu('requestResponse', held[0].request.sequence, 'done'));
  assert.equal(textOf(await outcome), 'done');
  assert.deepEqual(await drained, { why: 'drained' });
  assert.deepEqual(await server.ended, { why: 'peer-farewell' });
  assert.equal(textOf(await client.submit(ask('much too late'))), 'not-sent: session-ended');
});

test('draining ends at its limit when the peer answers nothing', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  peer.resume();
  const client = toySession(t, socket);
  client.markBound();
  const outcome = client.submit(ask('lost'));
  assert.deepEqual(await client.drain(20), { why: 'not-drained-in-time' });
  assert.equal(textOf(await outcome), 'unanswered: connection-ended');
});

test('after the farewell of the peer only what is under way is finished', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client, server } = await connectedSessions(t, {
    client: { limits: { window: 1 } },
    server: { events: { onRequest } },
  });
  server.markBound();
  const [underWay, inLine] = [client.submit(ask('under way')), client.submit(ask('in line'))];
  await arrival(1);
  const drained = server.drain(5000);
  assert.equal(textOf(await inLine), 'not-sent: session-ending');
  held[0]?.answer(toyPdu('requestResponse', held[0].request.sequence, 'done'));
  assert.equal(textOf(await underWay), 'done');
  await drained;
  assert.deepEqual(await client.ended, { why: 'peer-farewell' });
});

test('destroying settles everything and is safe at any time', async (t) => {
  const { client, server } = await connectedSessions(t, {
    client: { limits: { window: 1 } },
    server: { events: { onRequest: () => new Promise(() => {}) } },
  });
  const [written, inLine, drained] = [client.submit(ask('a')), client.submit(ask('b')), client.drain(5000)];
  client.destroy();
  client.destroy();
  assert.equal(textOf(await written), 'unanswered: connection-ended');
  assert.equal(textOf(await inLine), 'not-sent: session-ending');
  assert.deepEqual(await drained, { why: 'destroyed' });
  assert.deepEqual(await client.drain(5000), { why: 'destroyed' });
  assert.equal(textOf(await client.tryConnection()), 'not-sent: session-ended');
  await server.ended;
});

test('the end of the connection settles everything', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const client = toySession(t, socket, { limits: { window: 1 } });
  const [written, inLine] = [client.submit(ask('a')), client.submit(ask('b'))];
  peer.once('data', () => peer.end());
  assert.equal(textOf(await written), 'unanswered: connection-ended');
  assert.equal(textOf(await inLine), 'not-sent: session-ending');
  assert.deepEqual(await client.ended, { why: 'peer-closed' });
});

test('a reset of the connection ends the session with the fault', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const client = toySession(t, socket);
  const outcome = client.submit(ask('a'));
  peer.once('data', () => peer.resetAndDestroy());
  assert.equal(textOf(await outcome), 'unanswered: connection-ended');
  const end = await client.ended;
  assert.ok(end.why === 'connection-error' && 'code' in end.error && end.error.code === 'ECONNRESET');
});

test('the PDUs of one turn leave in one write', async (t) => {
  const [socket] = await connectedSockets(t);
  const write = t.mock.method(socket, 'write');
  const client = toySession(t, socket, { limits: { window: 100 } });
  for (let count = 0; count < 100; count += 1) void client.submit(ask('short'));
  await new Promise(setImmediate);
  assert.equal(write.mock.callCount(), 1);
  assert.equal(client.windowUsed, 100);
});

test('what happens after the end starts no timer', async (t) => {
  const { held, onRequest, arrival } = heldRequests();
  const { client, server } = await connectedSessions(t, { server: { events: { onRequest }, limits: { inbound: 1 } } });
  void client.submit(ask('text'));
  await arrival(1);
  server.markBound();
  server.destroy();
  const setTimer = t.mock.method(globalThis, 'setTimeout');
  server.markBound();
  held[0]?.answer(undefined);
  await new Promise(setImmediate);
  assert.equal(setTimer.mock.callCount(), 0);
});

test('a response that arrived behind a waiting request counts, though the connection is lost then', async (t) => {
  const { onRequest, arrival } = heldRequests();
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, { events: { onRequest }, limits: { inbound: 1 } });
  const outcome = session.submit(ask('text'));
  peer.once('data', () => {
    peer.write(Buffer.concat([toyPdu('request', 1), toyPdu('requestResponse', 1, 'behind')].map(encodeToy)));
  });
  await arrival(1);
  session.destroy();
  assert.equal(textOf(await outcome), 'behind');
});

test('a response that arrived while the process stood still is in time', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, { limits: { responseTimeoutMs: 200 } });
  const outcome = session.submit(ask('text'));
  peer.once('data', () => {
    peer.write(encodeToy(toyPdu('requestResponse', 1, 'in time')));
    const end = performance.now() + 300;
    while (performance.now() < end);
  });
  assert.equal(textOf(await outcome), 'in time');
});
