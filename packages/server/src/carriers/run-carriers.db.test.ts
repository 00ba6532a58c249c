import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { type ManualTime, manualTime } from '../messages/manual-time.testing.ts';
import { type MessagesNode, type MessagesWorld, openMessagesWorld } from '../messages/messages-world.testing.ts';
import type { Carrier, SubmitResult } from './carrier.ts';
import { createCarrierRunner } from './run-carriers.ts';
import { createSubmitWorker } from './submit-worker.ts';

const window = 3;
const leaseMs = 10_000;

/** A server that runs the one carrier of these tests, if it may. */
interface Runner {
  /** The submitted parts' ids, in order. */
  readonly submitted: readonly string[];
  /** Answers the open submits. */
  answer(): void;
  stop(): void;
  readonly ended: Promise<void>;
  readonly hasEnded: boolean;
}

onBothDatabases('running carriers on several servers', (open) => {
  /** @param answers whether its carrier answers at once; else it waits for `answer` */
  function start(
    t: TestContext,
    world: MessagesWorld,
    node: MessagesNode,
    options: { readonly nodeId: string; readonly answers: boolean; readonly time?: ManualTime },
  ): Runner {
    const { nodeId, answers, time = world.time } = options;
    const submitted: string[] = [];
    const waiting: (() => void)[] = [];
    const carrier: Carrier = {
      id: 'simulator',
      name: 'carrier simulator',
      simulated: true,
      window,
      rate: undefined,
      mostUnanswered: 3,
      downSince: undefined,
      submit({ id }) {
        submitted.push(id);
        const taken: SubmitResult = { kind: 'accepted', carrierMessageId: `${nodeId} ${id}` };
        return answers ? Promise.resolve(taken) : new Promise((resolve) => waiting.push(() => resolve(taken)));
      },
      run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const log = {
      error: (fields: Record<string, unknown>, message: string) => world.log.push({ fields, message }),
      warn: (fields: Record<string, unknown>, message: string) => world.log.push({ fields, message }),
    };
    const runner = createCarrierRunner({
      database: node.database,
      clock: time.clock,
      nodeId,
      carriers: async () => [carrier],
      leaseMs,
      wait: time.wait,
      submitter: (_, holds) =>
        createSubmitWorker({
          ...node,
          ...time,
          carrier,
          holds,
          takesParts: async () => true,
          moveParts: async () => 0,
          nextCarrier: async () => undefined,
          random: () => 0.5,
          log,
        }),
      isIdle: (id) => !node.queue.isOpen(id),
      log,
    });
    const stopping = new AbortController();
    const answer = () => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    let hasEnded = false;
    const ended = runner.run(stopping.signal).finally(() => {
      hasEnded = true;
    });
    t.after(async () => {
      stopping.abort();
      answer();
      await ended;
    });
    return {
      submitted,
      answer,
      stop: () => stopping.abort(),
      ended,
      get hasEnded() {
        return hasEnded;
      },
    };
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+86138001${10_000 + index}`);
  const partsLeft = async ({ database }: MessagesWorld) =>
    (await database.db.selectFrom('message_part').select('part').execute()).length;
  const lease = ({ database }: MessagesWorld) =>
    database.db.selectFrom('lease').selectAll().where('name', '=', 'carrier/simulator').executeTakeFirst();
  const isHeldBy = (world: MessagesWorld, holder: string) =>
    world.time.until(async () => (await lease(world))?.holder === holder || undefined);
  const twice = (...runners: readonly Runner[]) => {
    const all = runners.flatMap(({ submitted }) => submitted);
    return all.length - new Set(all).size;
  };

  test('one of them submits, each text once, whoever accepted it', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    const one = start(t, world, world, { nodeId: 'one', answers: true });
    await isHeldBy(world, 'one');
    const two = start(t, world, other, { nodeId: 'two', answers: true });
    const send = { organizationId: world.organizationId, keyId: 'key', idempotencyKey: undefined };
    await world.messages.send({ ...send, body: { mobiles: numbers(20), content: 'x' } });
    await other.messages.send({ ...send, body: { mobiles: numbers(20), content: 'y' } });
    await world.time.until(async () => (await partsLeft(world)) === 0 || undefined);
    // Longer than a lease, so that both have looked several times.
    await world.time.advance(leaseMs / 4);
    for (let beat = 0; beat < 10; beat += 1) await world.time.advance(leaseMs / 8);
    assert.deepEqual([one.submitted.length, two.submitted.length, twice(one)], [40, 0, 0]);
    assert.equal((await lease(world))?.holder, 'one');
  });

  test('carriers come, change and go while it runs', async (t) => {
    const world = await openMessagesWorld(t, open);
    const started: string[] = [];
    const ended: string[] = [];
    const carrierOf = (id: string, text: string): Carrier => ({
      ...{ id, name: text, simulated: false, window, rate: undefined, mostUnanswered: 3, downSince: undefined },
      submit: async () => ({ kind: 'unanswered' }),
      async run() {},
    });
    let carriers = [carrierOf('a', 'a1')];
    const runner = createCarrierRunner({
      ...{ database: world.database, ...world.time, nodeId: 'one', leaseMs },
      carriers: async () => carriers,
      submitter: (carrier, holds) => ({
        name: carrier.name,
        async run(signal) {
          while (!signal.aborted && !holds()) await world.time.wait(10, signal);
          started.push(carrier.name);
          while (!signal.aborted) await world.time.wait(1_000, signal);
          ended.push(carrier.name);
        },
      }),
      isIdle: () => true,
      log: { warn: () => {} },
    });
    const stopping = new AbortController();
    const running = runner.run(stopping.signal);
    const has = (list: readonly string[], ...wanted: string[]) =>
      world.time.until(() => wanted.every((each) => list.includes(each)) || undefined);
    const isFree = async (id: string) =>
      (await world.database.db.selectFrom('lease').select('until').where('name', '=', `carrier/${id}`).execute())[0]
        ?.until === 0 || undefined;
    await has(started, 'a1');
    carriers = [...carriers, carrierOf('b', 'b1')];
    await has(started, 'b1');
    assert.deepEqual(ended, []);
    carriers = [carrierOf('a', 'a2'), ...carriers.slice(1)];
    await has(started, 'a2');
    assert.deepEqual(ended, ['a1']);
    carriers = carriers.slice(1);
    await has(ended, 'a2');
    await world.time.until(() => isFree('a'));
    assert.equal(await isFree('b'), undefined);
    stopping.abort();
    await running;
    assert.deepEqual(
      [started, ended],
      [
        ['a1', 'b1', 'a2'],
        ['a1', 'a2', 'b1'],
      ],
    );
  });

  test('one that stops gives up what it holds once what it submitted is recorded, and nothing is sent twice', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    const one = start(t, world, world, { nodeId: 'one', answers: false });
    await isHeldBy(world, 'one');
    const two = start(t, world, other, { nodeId: 'two', answers: true });
    await world.sendTo(numbers(10));
    await world.time.until(() => one.submitted.length === window || undefined);
    one.stop();
    for (let turn = 0; turn < 100; turn += 1) await world.time.advance(10);
    assert.equal(one.hasEnded, false, 'it waits for the answers');
    assert.equal(two.submitted.length, 0);
    one.answer();
    await world.time.until(() => one.hasEnded || undefined);
    await world.time.until(async () => (await partsLeft(world)) === 0 || undefined);
    assert.deepEqual([one.submitted.length, two.submitted.length, twice(one, two)], [window, 10 - window, 0]);
    assert.equal((await lease(world))?.holder, 'two');
  });

  test('a dead one is followed when its lease ends, and at most its window is sent twice', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    // Its time stands still and it gets no answer.
    const stopped = manualTime();
    const dead = start(t, world, world, { nodeId: 'dead', answers: false, time: stopped });
    await isHeldBy(world, 'dead');
    const heir = start(t, world, other, { nodeId: 'heir', answers: true });
    await world.sendTo(numbers(10));
    await stopped.advance(250);
    await world.time.until(() => dead.submitted.length === window || undefined);
    for (let turn = 0; turn < 100; turn += 1) await world.time.advance(100);
    assert.equal(heir.submitted.length, 0, 'the lease has not ended');
    await world.database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'dead').execute();
    await world.time.until(async () => (await partsLeft(world)) === 0 || undefined);
    assert.equal(new Set(heir.submitted).size, 10);
    assert.equal(twice(dead, heir), window);

    // It was only paused: waking up changes nothing and begins nothing.
    await world.sendTo(numbers(5), 'more');
    await stopped.advance(leaseMs);
    dead.answer();
    for (let turn = 0; turn < 20; turn += 1) await Promise.all([stopped.advance(250), world.time.advance(50)]);
    await world.time.until(async () => (await partsLeft(world)) === 0 || undefined);
    assert.equal(dead.submitted.length, window);
    assert.equal(twice(dead, heir), window);
    assert.equal((await lease(world))?.holder, 'heir');
  });
});
