import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { connectedSockets } from './loopback.testing.ts';
import { encodeToy, type ToyPdu, toyPdu } from './toy-protocol.testing.ts';
import { ask, echo, toySession } from './toy-session.testing.ts';

test('an impossible length is answered, and the connection closed', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket);
  const outcome = session.submit(ask('text'));
  const chunks: Buffer[] = [];
  peer.on('data', (chunk: Buffer) => chunks.push(chunk));
  peer.once('data', () => peer.write(Buffer.alloc(500_000, 0xff)));
  const peerEnd = once(peer, 'end');
  assert.deepEqual(await session.ended, { why: 'impossible-length' });
  assert.deepEqual(await outcome, { kind: 'unanswered', why: 'connection-ended' });
  await peerEnd;
  assert.deepEqual(Buffer.concat(chunks).subarray(-15), encodeToy(toyPdu('nack', 0, 'length')));
});

test('octets without end and without a PDU close the connection, even if the peer reads nothing', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket);
  const flood = Buffer.alloc(65_536);
  const write = () => {
    while (peer.writable && peer.write(flood));
  };
  peer.on('drain', write);
  write();
  assert.deepEqual(await session.ended, { why: 'impossible-length' });
  assert.ok(socket.destroyed);
});

test('PDUs in single octets are read', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket);
  const outcome = session.submit(ask('text'));
  await once(peer, 'data');
  for (const octet of encodeToy(toyPdu('requestResponse', 1, 'slowly'))) {
    peer.write(Buffer.of(octet));
    await new Promise(setImmediate);
  }
  assert.deepEqual(await outcome, { kind: 'answered', response: toyPdu('requestResponse', 1, 'slowly') });
});

test('responses that nobody asked for, or of the wrong kind, are told and change nothing', async (t) => {
  const told: ToyPdu[] = [];
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, { events: { onUnmatchedResponse: (response) => told.push(response) } });
  const outcome = session.submit(ask('text'));
  await once(peer, 'data');
  const foreign = [toyPdu('requestResponse', 7), toyPdu('bindResponse', 1), toyPdu('nack', 0)];
  peer.write(Buffer.concat([...foreign, toyPdu('requestResponse', 1, 'right')].map(encodeToy)));
  assert.deepEqual(await outcome, { kind: 'answered', response: toyPdu('requestResponse', 1, 'right') });
  assert.deepEqual(told, foreign);
});

test('a malformed request is answered, and a malformed response may mean that the request was taken', async (t) => {
  const reasons: string[] = [];
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, { events: { onMalformed: (reason) => reasons.push(reason) } });
  const outcome = session.submit(ask('text'));
  await once(peer, 'data');
  const answer = once(peer, 'data');
  peer.write(Buffer.concat([toyPdu('request', 9, '!'), toyPdu('requestResponse', 1, '!')].map(encodeToy)));
  assert.deepEqual(await outcome, { kind: 'unanswered', why: 'malformed-response' });
  assert.deepEqual(await answer, [encodeToy(toyPdu('nack', 9))]);
  assert.equal(reasons.length, 2);
  assert.equal(session.isOpen, true);
});

test('a request whose answer cannot be encoded is told, and the session goes on', async (t) => {
  const failures: unknown[] = [];
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, {
    protocol: { ownAnswer: ({ sequence }) => toyPdu('nack', sequence, 'x'.repeat(2000)) },
    events: { onRequestFailed: (error) => failures.push(error) },
  });
  const outcome = session.submit(ask('text'));
  await once(peer, 'data');
  peer.write(Buffer.concat([toyPdu('request', 9), toyPdu('requestResponse', 1)].map(encodeToy)));
  assert.equal((await outcome).kind, 'answered');
  assert.deepEqual(failures.map(String), ['RangeError: the text is too long']);
});

test('of a flood of requests no more than the limit is in process, and all are answered', async (t) => {
  const [socket, peer] = await connectedSockets(t);
  let [inProcess, most] = [0, 0];
  toySession(t, socket, {
    limits: { inbound: 20 },
    events: {
      onRequest: async (request) => {
        inProcess += 1;
        most = Math.max(most, inProcess);
        await new Promise(setImmediate);
        inProcess -= 1;
        return echo(request);
      },
    },
  });
  const requests = Array.from({ length: 5000 }, (_, index) => encodeToy(toyPdu('request', index + 1, 'flood')));
  peer.write(Buffer.concat(requests));
  let answered = 0;
  const wanted = Buffer.concat(requests).length;
  for await (const chunk of peer) {
    answered += (chunk as Buffer).length;
    if (answered === wanted) break;
  }
  assert.equal(most, 20);
});

for (const kind of ['request', 'keepAlive'] as const) {
  test(`a peer that sends a ${kind} after the other and never reads is not read from any more`, async (t) => {
    const [socket, peer] = await connectedSockets(t);
    let handled = 0;
    toySession(t, socket, {
      limits: { inbound: 50 },
      events: {
        onRequest: async (request) => {
          handled += 1;
          return echo(request);
        },
      },
    });
    peer.pause();
    const flood = Buffer.concat(Array.from({ length: 1000 }, () => encodeToy(toyPdu(kind, 1, 'x'.repeat(900)))));
    let isStalled = false;
    for (let written = 0; written < 100 && !isStalled; written += 1) {
      if (peer.write(flood)) continue;
      isStalled = await Promise.race([
        once(peer, 'drain').then(() => false),
        new Promise<boolean>((resolve) => setTimeout(resolve, 500, true)),
      ]);
    }
    assert.ok(isStalled, 'the flood never stops');
    assert.ok(socket.isPaused());
    assert.ok(socket.writableLength < 200_000, `${socket.writableLength} octets wait to be written`);
    assert.ok(handled < 100_000);
  });
}

test('two sessions that flood each other both get their answers', async (t) => {
  const [one, other] = await connectedSockets(t);
  const limits = { window: 500 };
  const sessions = [toySession(t, one, { limits }), toySession(t, other, { limits })];
  const text = 'x'.repeat(900);
  const outcomes = await Promise.all(
    sessions.flatMap((session) => Array.from({ length: 5000 }, () => session.submit(ask(text)))),
  );
  assert.ok(outcomes.every(({ kind }) => kind === 'answered'));
});

test('no octets make a session throw', async (t) => {
  const pdus = fc
    .record({
      kind: fc.constantFrom('request', 'bind', 'keepAlive', 'farewell', 'requestResponse', 'nack' as const),
      sequence: fc.integer({ min: 0, max: 5 }),
      text: fc.constantFrom('', '!', 'text'),
    })
    .map(encodeToy);
  const stream = fc.array(fc.oneof({ weight: 8, arbitrary: pdus }, fc.uint8Array({ maxLength: 20 })), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(stream, async (parts) => {
      const [socket, peer] = await connectedSockets(t);
      const session = toySession(t, socket, { limits: { inbound: 3, window: 2 } });
      const outcomes = ['a', 'b', 'c', 'd'].map((text) => session.submit(ask(text)));
      peer.resume();
      peer.end(Buffer.concat(parts));
      await session.ended;
      for (const outcome of outcomes) assert.ok((await outcome).kind.length > 0);
    }),
    { numRuns: 50 },
  );
});
