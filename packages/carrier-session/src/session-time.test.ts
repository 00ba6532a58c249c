import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectedSockets } from './loopback.testing.ts';
import type { Outcome } from './session-outcome.ts';
import { decodeToy, encodeToy, type ToyPdu, toyPdu } from './toy-protocol.testing.ts';
import { ask, type ToySettings, toySession } from './toy-session.testing.ts';

/** A bound session whose time moves when told to, and the bare other end. */
async function sessionInManualTime(t: TestContext, settings: ToySettings = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket, { ...settings, clock: { now: () => now } });
  session.markBound();
  return {
    session,
    peer,
    /** Lets time pass and everything happen that is due. */
    async pass(ms: number) {
      now += ms;
      t.mock.timers.tick(ms);
      await turn();
    },
  };
}

const turn = async (): Promise<void> => {
  for (let count = 0; count < 3; count += 1) await new Promise(setImmediate);
};

/** The next PDU that arrives. They are small and arrive whole. */
function received(peer: Socket): Promise<ToyPdu> {
  return new Promise((resolve) => {
    peer.once('data', (octets: Buffer) => {
      const decoded = decodeToy(octets);
      resolve(decoded.kind === 'pdu' ? decoded.pdu : assert.fail());
    });
  });
}

/** Writes and waits until the session has read it. */
async function send(peer: Socket, pdu: ToyPdu, heard: Promise<unknown>): Promise<void> {
  peer.write(encodeToy(pdu));
  await heard;
}

/** What a request came to, when nothing came in time. */
async function lateOf(outcome: Promise<Outcome<ToyPdu>>): Promise<Promise<ToyPdu>[]> {
  const settled = await outcome;
  assert.ok(settled.kind === 'unanswered' && settled.why === 'time-out');
  // A promise by itself would be waited for.
  return [settled.late];
}

test('a request is unanswered after its time, and hears a later response, once', async (t) => {
  const unmatched = Promise.withResolvers<ToyPdu>();
  const { session, peer, pass } = await sessionInManualTime(t, {
    events: { onUnmatchedResponse: unmatched.resolve },
  });
  const first = session.submit(ask('first'));
  await received(peer);
  await pass(4000);
  const second = session.submit(ask('second'));
  await received(peer);
  await pass(6000);
  const [late] = await lateOf(first);
  assert.equal(session.windowUsed, 1);
  await send(peer, toyPdu('requestResponse', 1, 'late'), late ?? assert.fail());
  assert.deepEqual(await late, toyPdu('requestResponse', 1, 'late'));
  await send(peer, toyPdu('requestResponse', 1, 'again'), unmatched.promise);
  assert.deepEqual(await unmatched.promise, toyPdu('requestResponse', 1, 'again'));
  await send(peer, toyPdu('requestResponse', 2, 'in time'), second);
  assert.deepEqual(await second, { kind: 'answered', response: toyPdu('requestResponse', 2, 'in time') });
});

test('what waits in line has the whole time from when it is written', async (t) => {
  const { session, peer, pass } = await sessionInManualTime(t, { limits: { window: 1 } });
  const [first, second] = [session.submit(ask('first')), session.submit(ask('second'))];
  await received(peer);
  const next = received(peer);
  await pass(10_000);
  await lateOf(first);
  await next;
  await pass(9999);
  await send(peer, toyPdu('requestResponse', 2), second);
  assert.equal((await second).kind, 'answered');
});

test('a quiet connection is tried, and stays when the peer answers', async (t) => {
  let answered = 0;
  const { session, peer, pass } = await sessionInManualTime(t, {
    events: { onKeepAliveAnswered: () => (answered += 1) },
  });
  for (let count = 1; count <= 3; count += 1) {
    const tried = received(peer);
    await pass(29_999);
    await pass(1);
    assert.deepEqual(await tried, toyPdu('keepAlive', count));
    const outcome = session.tryConnection();
    await send(peer, toyPdu('keepAliveResponse', count), outcome);
    assert.equal(answered, count);
  }
  assert.equal(session.isOpen, true);
});

test('a connection that does not answer a keep-alive is ended', async (t) => {
  const { session, peer, pass } = await sessionInManualTime(t);
  const tried = received(peer);
  await pass(30_000);
  await tried;
  await pass(9999);
  assert.equal(session.isOpen, true);
  await pass(1);
  assert.deepEqual(await session.ended, { why: 'keep-alive-unanswered' });
});

test('traffic from the peer puts keep-alives off', async (t) => {
  const heard: string[] = [];
  const { session, peer, pass } = await sessionInManualTime(t);
  peer.on('data', (octets: Buffer) => {
    const decoded = decodeToy(octets);
    if (decoded.kind === 'pdu') heard.push(decoded.pdu.kind);
  });
  for (let count = 1; count <= 5; count += 1) {
    await pass(20_000);
    const arrived = received(peer);
    const outcome = session.submit(ask('text'));
    await arrived;
    await send(peer, toyPdu('requestResponse', count), outcome);
  }
  assert.deepEqual(heard, Array(5).fill('request'));
});

test('a peer that sends but never reads is left after the response time', async (t) => {
  const { session, peer, pass } = await sessionInManualTime(t, { limits: { window: 500, keepAliveMs: 5000 } });
  peer.pause();
  const outcomes = Array.from({ length: 20_000 }, () => session.submit(ask('x'.repeat(900))));
  for (let count = 0; count < 100 && session.isOpen; count += 1) {
    await pass(1000);
    peer.write(encodeToy(toyPdu('request', 1)));
    await turn();
  }
  assert.deepEqual(await session.ended, { why: 'peer-reads-nothing' });
  const settled = await Promise.all(outcomes);
  assert.ok(settled.some(({ kind }) => kind === 'unanswered'));
  assert.ok(settled.some(({ kind }) => kind === 'not-sent'));
});

test('an unbound session is not tried', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [socket, peer] = await connectedSockets(t);
  const session = toySession(t, socket);
  peer.on('data', () => assert.fail('nothing is sent'));
  t.mock.timers.tick(3_600_000);
  await turn();
  assert.equal(session.isOpen, true);
});

test('time limits stand still while the session does not read, but not for ever', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { session, peer, pass } = await sessionInManualTime(t, {
    limits: { inbound: 1 },
    events: {
      onRequest: () => {
        arrived.resolve();
        return new Promise(() => {});
      },
    },
  });
  const outcome = session.submit(ask('text'));
  await received(peer);
  peer.write(encodeToy(toyPdu('request', 1)));
  await arrived.promise;
  let isSettled = false;
  void outcome.then(() => (isSettled = true));
  await pass(19_999);
  assert.equal(isSettled, false);
  await pass(1);
  await lateOf(outcome);
});

test('a response that waited behind the requests of the peer counts as in time', async (t) => {
  const answer = Promise.withResolvers<undefined>();
  const arrived = Promise.withResolvers<void>();
  const { session, peer, pass } = await sessionInManualTime(t, {
    limits: { inbound: 1 },
    events: {
      onRequest: () => {
        arrived.resolve();
        return answer.promise;
      },
    },
  });
  const outcome = session.submit(ask('text'));
  await received(peer);
  peer.write(Buffer.concat([encodeToy(toyPdu('request', 1)), encodeToy(toyPdu('requestResponse', 1, 'behind'))]));
  await arrived.promise;
  await pass(15_000);
  answer.resolve(undefined);
  assert.deepEqual(await outcome, { kind: 'answered', response: toyPdu('requestResponse', 1, 'behind') });
});
