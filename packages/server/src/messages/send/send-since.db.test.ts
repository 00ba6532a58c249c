import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { advanceResends } from '../../push/history/advance-resends.ts';
import { allShardLeases } from '../../push/outbox/push-shard.ts';
import { accept, openPushWorld, type PushWorld, pointTo } from '../../push/push-world.testing.ts';
import { createMissedEvents } from '../history/missed-events.ts';

onBothDatabases('"send since"', (open) => {
  test('what was never queued follows what ended, at the same rate', async (t) => {
    const world = await openPushWorld(t, open, createMissedEvents);
    await using receiver = await startTrialReceiver();
    const { organizationId } = world;
    await pointTo(world, organizationId, receiver.port, { kind: 'uplink' });
    const switched = (enabled: boolean) => world.settings.set('test', { organizationId, kind: 'uplink', enabled });
    await accept(world, ...['r1', 'r2'].map((message) => uplinkOf(organizationId, message)));
    await switched(false);
    const engine = world.engine({ resendRate: 10 });
    await world.later(0, engine);
    await keepReplies(world, 24);
    await switched(true);
    const { states } = await world.pushes.resend('test', { organizationId, kind: 'uplink', which: 'undelivered' });
    assert.deepEqual(states, ['failed', 'off']);
    const counts: number[] = [];
    for (let second = 0; second < 5; second += 1) {
      await world.later(1_000, engine);
      counts.push(receiver.requests.length);
    }
    assert.deepEqual(counts, [2, 12, 22, 26, 26]);
    assert.deepEqual(await world.pushes.resendProgress(organizationId), []);
    const filter = { organizationId, kind: 'uplink', state: 'delivered', limit: 100 } as const;
    const { rows: delivered } = await world.pushes.find(filter);
    const replies = await world.database.db.selectFrom('reply').select('push_id').execute();
    assert.equal(delivered.length, 26);
    assert.ok(replies.every(({ push_id }) => delivered.some(({ id }) => id === push_id)));
  });

  test('only what failed leaves out what was never queued', async (t) => {
    const world = await openPushWorld(t, open, createMissedEvents);
    await using receiver = await startTrialReceiver();
    const { organizationId } = world;
    await keepReplies(world, 3);
    await pointTo(world, organizationId, receiver.port, { kind: 'uplink' });
    await world.pushes.resend('test', { organizationId, kind: 'uplink', which: 'failed' });
    const engine = world.engine();
    await world.later(1_000, engine);
    await world.later(1_000, engine);
    assert.deepEqual([receiver.requests.length, await world.pushes.resendProgress(organizationId)], [0, []]);
  });

  test('two servers that move one on at once queue nothing twice', async (t) => {
    const world = await openPushWorld(t, open, createMissedEvents);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    const { organizationId, database, missed, clock } = world;
    await pointTo(world, organizationId, receiver.port, { kind: 'uplink', retries: 0 });
    await accept(world, ...Array.from({ length: 30 }, (_, index) => uplinkOf(organizationId, `f${index}`)));
    const engine = world.engine();
    await world.later(0, engine);
    await engine.stop();
    await keepReplies(world, 30);
    await world.pushes.resend('test', { organizationId, kind: 'uplink', which: 'undelivered' });
    const log = { info() {}, warn() {}, error: (fields: object) => assert.fail(JSON.stringify(fields)) };
    const shards = allShardLeases.map((_, shard) => shard);
    const move = () => advanceResends({ database, missed, log }, shards, 7, clock.now());
    for (let round = 0; round < 12; round += 1) await Promise.all([move(), move()]);
    assert.deepEqual(await world.pushes.resendProgress(organizationId), []);
    const messages = (await world.waiting()).map(({ payload }) => (JSON.parse(payload) as { message: string }).message);
    assert.equal(messages.length, 60);
    assert.equal(new Set(messages).size, 60);
    assert.deepEqual(await world.history(), []);
  });
});

function uplinkOf(organizationId: string, message: string) {
  return { organizationId, kind: 'uplink' as const, query: { mobile: '+8613800138000', message } };
}

/** Replies as the message gateway keeps them when the switch is off. */
async function keepReplies({ database, organizationId, clock }: PushWorld, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const at = clock.now();
  await database.db
    .insertInto('message_counter')
    .values({ organization_id: organizationId, value: count, forgotten: 0 })
    .execute();
  for (const number of numbers) {
    const id = `reply ${number}`;
    await database.db
      .insertInto('message_event')
      .values({ organization_id: organizationId, number, kind: 'reply', subject_id: id, position: 0, at })
      .execute();
    await database.db
      .insertInto('reply')
      .values({
        ...{ organization_id: organizationId, id, carrier_id: 'c', sender: '+1', recipient: '+2', content: id },
        ...{ owned_by: 'number', stop: 0, simulated: 1, received_at: at, push_id: null },
      })
      .execute();
  }
}
