import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { cmppFrames, faultyCmppFrames } from '@waxwing/cmpp/cmpp-values.testing.ts';
import { cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { smppPdus } from '@waxwing/smpp/smpp-pdus.testing.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import fc from 'fast-check';
import { anyClient, everyProtocol } from './any-client.testing.ts';
import { cmppConnect, cmppSubmit } from './cmpp-client.testing.ts';
import { smscLimits } from './run-smsc.ts';
import { seededRandom } from './seeded-random.ts';
import { smppBind, smppSubmit } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

/** What a client writes with a wrong password, and a submit behind it. */
const guesses = {
  smpp: [smppProtocol.encode(smppBind('bind_transceiver', 'wrong')(1)), smppProtocol.encode(smppSubmit('1')(2))],
  cmpp2: [],
  cmpp3: [cmpp3Protocol.encode(cmppConnect(cmpp3, 'wrong')(1)), cmpp3Protocol.encode(cmppSubmit('1')(2))],
};

for (const protocol of ['smpp', 'cmpp3'] as const) {
  test(`${protocol}: 1,000 guesses of the password are refused on a connection each, and leave nothing`, async (t) => {
    const smsc = await trialSmsc(t, protocol);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const socket = connect(smsc.port, '127.0.0.1').resume();
          socket.write(Buffer.concat(guesses[protocol]));
          await once(socket, 'close');
        }),
      );
    }
    const { refused_binds, submits, accepted } = smsc.counts();
    assert.deepEqual([refused_binds, submits, accepted], [1000, 0, 0]);
    assert.ok(await (await anyClient(t, protocol, smsc.port)).isAlive());
  });
}

for (const protocol of everyProtocol) {
  test(`${protocol}: connections that write garbage are closed, and others are served meanwhile`, async (t) => {
    const smsc = await trialSmsc(t, protocol);
    const client = await anyClient(t, protocol, smsc.port);
    const random = seededRandom('garbage');
    const closed = Array.from({ length: 30 }, async () => {
      const socket = connect(smsc.port, '127.0.0.1').resume();
      socket.on('error', () => {});
      const ended = once(socket, 'close');
      for (let chunk = 0; chunk < 10 && socket.writable; chunk += 1) {
        socket.write(randomFillSync(Buffer.alloc(1 + Math.floor(random() * 5000))));
      }
      await ended;
    });
    const { id } = await client.send('1');
    await Promise.all(closed);
    assert.deepEqual(await client.receipts(1), [{ id, state: 2 }]);
  });
}

test('connections that do not bind in time are closed', async (t) => {
  const smsc = await trialSmsc(t, 'smpp', {}, { limits: { ...smscLimits, bindLimitMs: 200 } });
  const socket = connect(smsc.port, '127.0.0.1').resume();
  await once(socket, 'close');
});

/** Writes these behind a bind, on new connections where the carrier closes one. */
async function writeBoundFrames(t: TestContext, port: number, bind: Uint8Array, frames: readonly Uint8Array[]) {
  let next = 0;
  while (next < frames.length) {
    const socket = connect(port, '127.0.0.1').resume();
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    const closed = once(socket, 'close');
    socket.write(bind);
    // Few enough to be answered within the limit of inbound requests.
    const some = frames.slice(next, next + 50);
    next += some.length;
    socket.end(Buffer.concat(some));
    await closed;
  }
}

const boundFrames = {
  smpp: {
    bind: smppProtocol.encode(smppBind('bind_transceiver')(1)),
    frames: fc.sample(smppPdus, { numRuns: 1000, seed: 1 }).map((pdu) => smppProtocol.encode(pdu)),
  },
  cmpp3: {
    bind: cmpp3Protocol.encode(cmppConnect(cmpp3)(1)),
    frames: [
      ...fc.sample(cmppFrames(cmpp3), { numRuns: 500, seed: 1 }),
      ...fc.sample(faultyCmppFrames(cmpp3), { numRuns: 500, seed: 1 }),
    ],
  },
};

for (const protocol of ['smpp', 'cmpp3'] as const) {
  test(`${protocol}: a bound client may send whatever PDUs it wants`, async (t) => {
    const smsc = await trialSmsc(t, protocol);
    const { bind, frames } = boundFrames[protocol];
    await writeBoundFrames(t, smsc.port, bind, frames);
    const client = await anyClient(t, protocol, smsc.port);
    assert.equal((await client.send('1')).code, 0);
    assert.ok(await client.isAlive());
    assert.deepEqual(smsc.troubles, []);
    assert.ok(smsc.counts().submits > 10);
  });
}
