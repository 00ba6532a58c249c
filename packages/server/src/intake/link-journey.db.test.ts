import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CarriersWorld, openCarriersWorld } from '../carriers/carriers-world.testing.ts';
import { createKnownCarriers } from '../carriers/known-carriers.ts';
import { createReplyJoiner } from '../carriers/links/join-replies.ts';
import { createLinkCarriers } from '../carriers/links/link-carriers.ts';
import { createLinkRecords, createReadLinkStates } from '../carriers/links/link-record-store.ts';
import {
  cmppReport,
  cmppSmsc,
  smppAnswer,
  smppReceipt,
  smppSmsc,
  smscSecret,
} from '../carriers/links/scripted-smsc.testing.ts';
import { createCarrierRunner } from '../carriers/run-carriers.ts';
import { createSubmitWorker } from '../carriers/submit-worker.ts';
import { onBothDatabases } from '../database/testing.ts';
import { createStopWords } from '../messages/delivery/apply-reply.ts';
import { systemClock } from '../runtime/clock.ts';
import { wait } from '../runtime/wait.ts';
import { createTakeInbound } from './take-inbound.ts';

onBothDatabases('messages over links', (open) => {
  /** A server that runs the carriers of the world until the test ends. Its links live in real time. */
  function startServer(t: TestContext, world: CarriersWorld) {
    const { database, feed, queue, deliveries, outbox, time } = world;
    const log = {
      error: (fields: Record<string, unknown>, message: string) => world.log.push({ fields, message }),
      warn: (fields: Record<string, unknown>, message: string) => world.log.push({ fields, message }),
    };
    const stopWords = createStopWords(['STOP']);
    const isSimulated = () => false;
    const take = createTakeInbound({ ...world, ...time, database, deliveries, outbox, stopWords, isSimulated, log });
    const real = { clock: systemClock, wait };
    const links = createLinkCarriers({
      ...{ database, take, ...real, log, ring: world.ring, random: () => 0.5 },
      known: createKnownCarriers({ db: database.db, feed }),
      takeSegment: createReplyJoiner({ database, take, ...real }).takeSegment,
      records: createLinkRecords(database, systemClock),
    });
    const runner = createCarrierRunner({
      ...{ database, ...real, nodeId: 'one', leaseMs: 10_000, log },
      carriers: links.current,
      submitter: (carrier, holds) =>
        createSubmitWorker({
          ...{ carrier, holds, queue, deliveries, log, random: () => 0.5, clock: time.clock, wait },
          takesParts: async () => true,
          moveParts: async () => 0,
          nextCarrier: async () => undefined,
        }),
      isIdle: (id) => !queue.isOpen(id),
    });
    const stopping = new AbortController();
    const ended = runner.run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    t.after(stop);
    return { links, stop };
  }

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const settled = (world: CarriersWorld, batchId: string) =>
    until(async () => {
      const messages = await world.messagesOf(batchId);
      return messages.every(({ status }) => status !== null) ? messages : undefined;
    });
  /** Whether the carrier has taken all parts. */
  const sent = (world: CarriersWorld, batchId: string) =>
    until(async () => (await world.messagesOf(batchId)).every(({ sent_at }) => sent_at !== null) || undefined);

  test('by SMPP: out, and the receipt settles it; the state is read from the database', async (t) => {
    const world = await openCarriersWorld(t, open);
    const smsc = await smppSmsc(t, { answer: (submit, number) => smppAnswer(submit, `A${number}`) });
    const id = await world.create('one', { address: `127.0.0.1:${smsc.port}`, password: smscSecret });
    world.carrier = { id, simulated: false };
    startServer(t, world);
    const batchId = await world.sendTo(['+8613800138000'], '长'.repeat(100));
    await sent(world, batchId);
    assert.equal(smsc.submitted.length, 2);
    for (const receipt of ['A1', 'a2']) await smsc.send(smppReceipt(receipt));
    const [message] = await settled(world, batchId);
    assert.deepEqual([message?.status, message?.carrier_id, message?.simulated], ['DELIVRD', id, 0]);
    const state = await until(async () => {
      const found = (await createReadLinkStates(world.database)([id])).get(id);
      return found?.receipts === 2 ? found : undefined;
    });
    assert.deepEqual([state.state, state.submitted, state.accepted, state.unmatched_receipts], ['bound', 2, 2, 0]);
    assert.equal(state.connections[0]?.state, 'bound');
  });

  test('a receipt after a restart finds its message, before the carrier has shown how it writes ids', async (t) => {
    const world = await openCarriersWorld(t, open);
    const smsc = await smppSmsc(t, { answer: (submit, number) => smppAnswer(submit, String(1_000_000 + number)) });
    const id = await world.create('one', { address: `127.0.0.1:${smsc.port}`, password: smscSecret });
    world.carrier = { id, simulated: false };
    const former = startServer(t, world);
    const batchId = await world.sendTo(['+8613800138000'], 'Hello');
    await sent(world, batchId);
    await former.stop();
    startServer(t, world);
    await until(async () => smsc.binds.length === 2 || undefined);
    await until(async () => smsc.sessions.size === 1 || undefined);
    await smsc.send(smppReceipt((1_000_001).toString(16)));
    const [message] = await world.messagesOf(batchId);
    assert.equal(message?.status, 'DELIVRD');
  });

  test('by CMPP: out, and the status report settles it', async (t) => {
    const world = await openCarriersWorld(t, open);
    const smsc = await cmppSmsc(t, 'cmpp3');
    const address = { address: `127.0.0.1:${smsc.port}`, password: smscSecret, account: '901234' };
    const id = await world.create('one', { ...address, protocol: 'cmpp3' });
    world.carrier = { id, simulated: false };
    startServer(t, world);
    const batchId = await world.sendTo(['+8613800138000'], '你好');
    await sent(world, batchId);
    assert.deepEqual(smsc.submitted[0]?.destinations, ['13800138000']);
    await smsc.send(cmppReport('1', 'MA:0001', 'cmpp3'));
    const [message] = await settled(world, batchId);
    assert.equal(message?.status, 'UNDELIV');
  });

  test('a carrier that is changed binds anew, one that is only renamed does not, and a disabled one ends', async (t) => {
    const world = await openCarriersWorld(t, open);
    const smsc = await smppSmsc(t);
    const id = await world.create('one', { address: `127.0.0.1:${smsc.port}`, password: smscSecret });
    const { links } = startServer(t, world);
    await until(async () => smsc.binds.length === 1 || undefined);
    const [first] = await links.current();
    await world.carriers.update('test', id, { name: 'two', priority: 5 });
    assert.equal((await links.current())[0], first);
    await world.carriers.update('test', id, { window: 20 });
    await until(async () => smsc.binds.length === 2 || undefined);
    await until(async () => (await links.current())[0]?.window === 20 || undefined);
    await world.carriers.setEnabled('test', id, false);
    await until(async () => smsc.sessions.size === 0 || undefined);
    assert.deepEqual(await links.current(), []);
  });
});
