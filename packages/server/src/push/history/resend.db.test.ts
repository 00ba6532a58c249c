import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver, type TrialReceiver } from '../../outbound/receiver.testing.ts';
import { allShardLeases } from '../outbox/push-shard.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from '../push-world.testing.ts';
import { advanceResends } from './advance-resends.ts';

onBothDatabases('re-sends', (open) => {
  test('one that fails is logged, and holds up neither the others nor the pushes', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const failing = { ...world.missed, enqueue: () => Promise.reject(new Error('a bug')) };
    for (const id of [world.organizationId, world.otherOrganizationId]) await pointTo(world, id, receiver.port);
    const [id = ''] = await accept(world, statusOf(world.otherOrganizationId));
    const engine = world.engine({ missed: failing });
    await world.later(0, engine);
    await world.database.db.updateTable('push_history').set({ state: 'failed' }).execute();
    const which = 'undelivered';
    await world.pushes.resend('test', { organizationId: world.organizationId, kind: 'status', which });
    await world.pushes.resend('test', { organizationId: world.otherOrganizationId, kind: 'status', which });
    await accept(world, statusOf(world.organizationId));
    await world.later(1_000, engine);
    assert.ok(world.log.includes('pushes cannot be sent again: a bug'));
    assert.equal(receiver.requests.length, 3);
    assert.equal((await world.pushes.show(id)).state, 'delivered');
  });

  test('one ends although new pushes go on failing, and those are not sent again by it', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    const { organizationId } = world;
    await pointTo(world, organizationId, receiver.port, { retries: 0 });
    const engine = world.engine({ resendRate: 1 });
    await engine.beat();
    await accept(world, statusOf(organizationId, 'old'));
    await world.quiet(engine);
    await world.pushes.resend('test', { organizationId, kind: 'status', which: 'failed' });
    for (let second = 0; second < 4; second += 1) {
      world.clock.advance(1);
      await accept(world, statusOf(organizationId, `new${second}`));
      await world.later(1_000, engine);
    }
    assert.deepEqual(await world.pushes.resendProgress(organizationId), []);
    const sent = receiver.requests.map((head) => /batch_id=(\w+)/.exec(head)?.[1]);
    assert.deepEqual(sent.sort(), ['new0', 'new1', 'new2', 'new3', 'old', 'old']);
  });

  test('a push that is among the ended by a fault, and waits, is sent once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const [id = ''] = await accept(world, statusOf(world.organizationId));
    const { due_at, queued_at, shard, attempts_before, ...push } = (await world.waiting())[0] ?? assert.fail();
    await world.database.db
      .insertInto('push_history')
      .values({ ...push, ...noAttempt, state: 'off', ended_at: 0 })
      .execute();
    const { organizationId } = world;
    await world.pushes.resend('test', { organizationId, kind: 'status', which: 'undelivered' });
    await world.later(1_000, world.engine());
    assert.deepEqual(
      (await world.history()).map((row) => [row.id, row.state]),
      [[id, 'delivered']],
    );
    assert.equal(receiver.requests.length, 1);
  });

  // The network stood still for 11 s just as a server moved 90 pushes back: 180 arrived.
  test('a step that arrives when another server has ended the re-send moves nothing', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await acceptFailing(world, receiver, 3);
    await world.pushes.resend('test', { organizationId: world.organizationId, kind: 'status', which: 'failed' });
    const step = await beginStep(world, 100);
    const heir = world.engine();
    await world.later(1_000, heir);
    assert.equal(receiver.requests.length, 3);
    await step.arrive();
    await world.later(1_000, heir);
    assert.equal(receiver.requests.length, 3, 'each once');
    assert.ok((await world.history()).every(({ state }) => state === 'delivered'));
  });

  test('a step that arrives when another server has gone on with the re-send leaves it to that one', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const { organizationId } = world;
    await acceptFailing(world, receiver, 3);
    await world.pushes.resend('test', { organizationId, kind: 'status', which: 'failed' });
    const step = await beginStep(world, 100);
    const heir = world.engine({ resendRate: 1 });
    await world.later(0, heir);
    await step.arrive();
    assert.deepEqual(await world.waiting(), []);
    assert.deepEqual(
      (await world.pushes.resendProgress(organizationId)).map(({ moved }) => moved),
      [1],
    );
    for (let second = 0; second < 3; second += 1) await world.later(1_000, heir);
    assert.equal(receiver.requests.length, 3, 'each once');
    assert.deepEqual(await world.pushes.resendProgress(organizationId), []);
  });

  test('what has ended anew by another hand is not moved by a step that arrives late', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const [delivered = '', failed = '', left = ''] = await acceptFailing(world, receiver, 3);
    await world.pushes.resend('test', { organizationId: world.organizationId, kind: 'status', which: 'failed' });
    const step = await beginStep(world, 100);
    const { db } = world.database;
    await db.updateTable('push_history').set({ state: 'delivered' }).where('id', '=', delivered).execute();
    const later = world.clock.now() + 1;
    await db.updateTable('push_history').set({ ended_at: later }).where('id', '=', failed).execute();
    await step.arrive();
    assert.deepEqual(
      (await world.waiting()).map(({ id }) => id),
      [left],
    );
  });
});

/** Pushes that have failed, at a receiver that takes them from now on. */
async function acceptFailing(world: PushWorld, receiver: TrialReceiver, count: number): Promise<string[]> {
  const { organizationId } = world;
  await pointTo(world, organizationId, receiver.port, { retries: 0 });
  const ids = await accept(
    world,
    ...Array.from({ length: count }, (_, index) => statusOf(organizationId, `b${index}`)),
  );
  const { serve } = receiver;
  receiver.serve = (socket) => socket.write(reply(500));
  const engine = world.engine();
  await world.later(0, engine);
  await engine.stop();
  assert.deepEqual(
    (await world.history()).map(({ state }) => state),
    ids.map(() => 'failed'),
  );
  receiver.serve = serve;
  receiver.requests.length = 0;
  return ids;
}

/** A step of the re-sends by a server whose statements are on their way until they may arrive. */
async function beginStep({ database, missed, clock }: PushWorld, limit: number) {
  const sent = Promise.withResolvers<void>();
  const network = Promise.withResolvers<void>();
  const behind: Database = {
    ...database,
    async runBatch(...batch) {
      sent.resolve();
      await network.promise;
      return database.runBatch(...batch);
    },
  };
  const log = { info() {}, warn() {}, error: (fields: object) => assert.fail(JSON.stringify(fields)) };
  const shards = allShardLeases.map((_, shard) => shard);
  const step = advanceResends({ database: behind, missed, log }, shards, limit, clock.now());
  await sent.promise;
  return {
    async arrive(): Promise<void> {
      network.resolve();
      await step;
    },
  };
}

const noAttempt = {
  ...{ at: null, ms: null, address: null, outcome: null },
  ...{ status: null, error: null, excerpt: null },
};
