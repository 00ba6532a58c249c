import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { onBothDatabases } from '../database/testing.ts';
import { createOutbox } from './outbox.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from './push-world.testing.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';

const hour = 3_600_000;

onBothDatabases('a push that is not filed under its setting', (open, kind) => {
  test('is delivered from memory, and nothing was filed', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const held: (() => void)[] = [];
    receiver.serve = (socket) => held.push(() => socket.write(reply(200)));
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    while (held.length < 1) await setImmediate();
    await engine.look();
    assert.deepEqual(await filed(world), [0], 'a look leaves alone what is known');
    held[0]?.();
    await world.quiet(engine);
    assert.deepEqual(await world.waiting(), []);
  });

  test('is filed when it stays in memory for seconds, and made once all the same', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const held: (() => void)[] = [];
    receiver.serve = (socket) => held.push(() => socket.write(reply(200)));
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    while (held.length < 1) await setImmediate();
    world.clock.advance(5_000);
    await engine.look();
    assert.deepEqual(await filed(world), [1]);
    held[0]?.();
    await world.quiet(engine);
    await world.later(1_000, engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(held.length, 1);
  });

  test('is filed with its first retry', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    assert.deepEqual(await filed(world), [1]);
  });

  test('and for which its lane has no room is read in its turn, without a look', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...many(world, 200));
    await world.quiet(engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 200);
  });

  test('is found by the next holder when its server is killed before it files anything', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    receiver.serve = () => {};
    const killed = world.engine({ nodeId: 'killed', wait: () => new Promise(() => {}) });
    await killed.beat();
    await accept(world, ...many(world, 100));
    while (receiver.requests.length < 1) await setImmediate();
    assert.equal(Math.max(...(await filed(world))), 0);
    await world.database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'killed').execute();
    receiver.serve = (socket) => socket.write(reply(200));
    const next = world.engine({ nodeId: 'next' });
    await world.later(0, next);
    assert.deepEqual(await world.waiting(), []);
    assert.equal((await world.history()).filter(({ state }) => state === 'delivered').length, 100);
    assert.equal(receiver.requests.length, 101, 'the one whose outcome nobody knows twice, the others once');
  });

  for (const [clock, offset] of [
    ['behind', -hour],
    ['ahead', hour],
  ] as const) {
    test(`is found by the next look when a server whose clock is ${clock} commits it`, async (t) => {
      const world = await openPushWorld(t, open);
      await using receiver = await startTrialReceiver();
      await pointTo(world, world.organizationId, receiver.port);
      const engine = world.engine();
      await engine.beat();
      await accept(world, ...many(world, 3));
      await world.later(1_000, engine);
      const elsewhere = createOutbox({
        database: world.database,
        clock: { ...world.clock, now: () => world.clock.now() + offset },
      });
      await elsewhere.accept(statusOf(world.organizationId, 'foreign'));
      await world.later(1_000, engine);
      assert.deepEqual(await filed(world), offset > 0 ? [1] : []);
      // What is due later than any wait can be is pulled forward once a minute; an hour is a wait that can be.
      await world.later(Math.max(0, offset), engine);
      assert.deepEqual(await world.waiting(), []);
      assert.equal(receiver.requests.length, 4);
    });
  }

  // On SQLite there is one writer: nothing commits beside a transaction.
  if (kind === 'postgres') {
    test('is found by the next look when its transaction commits after younger ones were found', async (t) => {
      const world = await openPushWorld(t, open);
      await using receiver = await startTrialReceiver();
      await pointTo(world, world.organizationId, receiver.port);
      const engine = world.engine();
      await engine.beat();
      const commit = Promise.withResolvers<void>();
      const isWritten = Promise.withResolvers<void>();
      const late = world.database.transaction(async (trx) => {
        await world.outbox.enqueue(trx, [statusOf(world.organizationId, 'late')]);
        isWritten.resolve();
        await commit.promise;
      });
      await isWritten.promise;
      for (let second = 0; second < 10; second += 1) {
        await accept(world, statusOf(world.organizationId, `b${second}`));
        await world.later(1_000, engine);
      }
      assert.equal(receiver.requests.length, 10);
      commit.resolve();
      await late;
      await world.later(1_000, engine);
      assert.equal(receiver.requests.length, 11);
      assert.deepEqual(await world.waiting(), []);
    });
  }

  test('ends when its kind is switched off, whether it is in memory or not', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(429, '', { 'Retry-After': '3600' }));
    const setting = await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'first'));
    await world.quiet(engine);
    assert.equal(engine.laneStatus(setting)?.state, 'paused');
    await accept(world, ...many(world, 10));
    await createOutbox(world).accept(statusOf(world.organizationId, 'foreign'));
    assert.deepEqual(await filed(world), [...new Array(11).fill(0), 1]);
    await world.settings.set('test', { organizationId: world.organizationId, kind: 'status', enabled: false });
    // What is filed while the lane ends what it has found is for the look after that.
    for (let look = 0; look < 2; look += 1) await world.later(1_000, engine);
    assert.deepEqual(await world.waiting(), []);
    assert.deepEqual(
      (await world.history()).map(({ state }) => state),
      new Array(12).fill('off'),
    );
    assert.equal(receiver.requests.length, 1);
  });

  test('waits while its organization is suspended, and is made afterwards', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    await world.organizations.setSuspended('test', world.organizationId, true);
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...many(world, 5));
    await world.quiet(engine);
    await world.later(1_000, engine);
    assert.equal(receiver.requests.length, 0);
    await world.organizations.setSuspended('test', world.organizationId, false);
    await world.later(1_000, engine);
    assert.equal(receiver.requests.length, 5);
    assert.deepEqual(await world.waiting(), []);
  });

  test('is listed and counted like any other, each once', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, clock } = world;
    await pointTo(world, organizationId, 1);
    await pointTo(world, world.otherOrganizationId, 1);
    const ids: string[] = [];
    for (let second = 0; second < 6; second += 1) {
      ids.push(...(await accept(world, statusOf(organizationId, `b${second}`))));
      await accept(world, statusOf(world.otherOrganizationId));
      clock.advance(1_000);
    }
    const oldest = clock.now() - 6_000;
    const newest = ids.toReversed();
    for (const some of [[], ids.slice(0, 2), ids.slice(3, 5), ids]) {
      if (some.length > 0) {
        await world.database.db.updateTable('push').set({ filed: 1 }).where('id', 'in', some).execute();
      }
      const list = (before?: string) => world.pushes.list({ organizationId, state: 'waiting', before, limit: 4 });
      assert.deepEqual(idsOf(await list()), newest.slice(0, 4));
      assert.deepEqual(idsOf(await list(newest[3])), newest.slice(4));
      const [shown] = await world.settings.health(organizationId);
      assert.deepEqual([shown?.waiting, shown?.oldest_due_at], [6, new Date(oldest).toISOString()]);
    }
  });
});

function many({ organizationId }: PushWorld, count: number) {
  return Array.from({ length: count }, (_, index) => statusOf(organizationId, `b${index}`));
}

async function filed(world: PushWorld): Promise<number[]> {
  return (await world.waiting()).map((row) => row.filed).sort();
}

function idsOf(pushes: readonly { readonly id: string }[]): string[] {
  return pushes.map(({ id }) => id);
}
