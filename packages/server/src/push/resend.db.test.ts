import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { accept, openPushWorld, pointTo, statusOf } from './push-world.testing.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';

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
    assert.deepEqual(await world.pushes.resends(organizationId), []);
    const sent = receiver.requests.map((head) => /batch_id=(\w+)/.exec(head)?.[1]);
    assert.deepEqual(sent.sort(), ['new0', 'new1', 'new2', 'new3', 'old', 'old']);
  });

  test('a push that is among the ended by a fault, and waits, is sent once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const [id = ''] = await accept(world, statusOf(world.organizationId));
    const { due_at, queued_at, shard, attempts_before, filed, ...push } = (await world.waiting())[0] ?? assert.fail();
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
});

const noAttempt = {
  ...{ at: null, ms: null, address: null, outcome: null },
  ...{ status: null, error: null, excerpt: null },
};
