import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { startTrialReceiver } from '../../outbound/receiver.testing.ts';
import type { Clock } from '../../runtime/clock.ts';
import { accept, openPushWorld, pointTo } from '../push-world.testing.ts';
import { createOutbox, type PushEvent } from './outbox.ts';
import type { WaitingPush } from './push-event.ts';

onBothDatabases('the outbox', (open) => {
  test('events are queued when the switch of their kind is on, and the caller learns which are not', async (t) => {
    const database = await open(t);
    await addSetting(database, { organization_id: 'o1', id: 's1', kind: 'status', enabled: 1 });
    await addSetting(database, { organization_id: 'o2', id: 's2', kind: 'status', enabled: 0 });
    const outbox = createOutbox({ database, clock });
    const enqueued = await database.transaction((trx) =>
      outbox.enqueue(trx, [delivered('o1', 'b1'), delivered('o2', 'b2'), delivered('o3', 'b3'), reply('o1')]),
    );
    assert.deepEqual(
      enqueued.results.map(({ state }) => state),
      ['queued', 'off', 'off', 'off'],
    );
    const [first] = enqueued.results;
    assert.ok(first?.state === 'queued');
    assert.deepEqual(await waiting(database), [
      {
        organization_id: 'o1',
        id: first.pushId,
        setting_id: 's1',
        shard: 7,
        due_at: NOW,
        queued_at: NOW,
        created_at: NOW,
        attempts: 0,
        attempts_before: 0,
        payload: JSON.stringify({ batch_id: 'b1', mobile: '+1', status: 'DELIVRD' }),
      },
    ]);
  });

  test('the dispatcher hears of them after the commit, and not before', async (t) => {
    const database = await open(t);
    await addSetting(database, { organization_id: 'o1', id: 's1', kind: 'status', enabled: 1 });
    const outbox = createOutbox({ database, clock });
    const heard: WaitingPush[] = [];
    outbox.onCommitted((pushes) => heard.push(...pushes));
    const event = delivered('o1', 'b1');
    const enqueued = await database.transaction((trx) => outbox.enqueue(trx, [event]));
    assert.deepEqual(heard, []);
    enqueued.committed();
    assert.deepEqual(
      heard.map(({ settingId, content, dueAt }) => ({ settingId, content, dueAt })),
      [{ settingId: 's1', content: { query: { batch_id: 'b1', mobile: '+1', status: 'DELIVRD' } }, dueAt: NOW }],
    );
  });

  test('what is rolled back was never queued', async (t) => {
    const database = await open(t);
    await addSetting(database, { organization_id: 'o1', id: 's1', kind: 'status', enabled: 1 });
    const outbox = createOutbox({ database, clock });
    const failing = database.transaction(async (trx) => {
      await outbox.enqueue(trx, [delivered('o1', 'b1')]);
      throw new Error('changed its mind');
    });
    await assert.rejects(failing, /changed its mind/);
    assert.deepEqual(await waiting(database), []);
  });

  test('tells how far pushes have come, and nothing of another organization', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    const [ended = ''] = await accept(world, delivered(world.organizationId, 'b1'));
    await world.quiet(engine);
    await engine.stop();
    const [waits = ''] = await accept(world, delivered(world.organizationId, 'b2'));
    const states = (organizationId: string) => world.outbox.readStates(organizationId, [ended, waits, 'unknown']);
    assert.deepEqual(
      [...(await states(world.organizationId))].sort(),
      [
        [ended, 'delivered'],
        [waits, 'waiting'],
      ].sort(),
    );
    assert.equal((await states(world.otherOrganizationId)).size, 0);
  });

  test('one bad event in a group of accepts fails alone, and texts with U+0000 are no bad events', async (t) => {
    const database = await open(t);
    await addSetting(database, { organization_id: 'o1', id: 's1', kind: 'status', enabled: 1 });
    await addSetting(database, { organization_id: 'o1', id: 's2', kind: 'uplink', enabled: 1 });
    const outbox = createOutbox({ database, clock });
    const events = [delivered('o1', 'b1'), delivered('o\u0000', 'b2'), reply('o1', 'a\u0000b'), delivered('o1', 'b4')];
    const settled = await Promise.allSettled(events.map((event) => outbox.accept(event)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    const payloads = (await waiting(database)).map((row) => JSON.parse(row.payload));
    assert.equal(payloads.length, 3);
    assert.ok(payloads.some((payload) => payload.message === 'a\u0000b'));
  });
});

const NOW = Date.UTC(2026, 0, 1);
const clock: Clock = { now: () => NOW, monotonic: () => 0 };

function delivered(organizationId: string, batchId: string): PushEvent {
  return { organizationId, kind: 'status', query: { batch_id: batchId, mobile: '+1', status: 'DELIVRD' } };
}

function reply(organizationId: string, message = 'yes'): PushEvent {
  return { organizationId, kind: 'uplink', query: { mobile: '+1', message } };
}

async function addSetting(
  database: Database,
  setting: { organization_id: string; id: string; kind: 'status' | 'uplink'; enabled: 0 | 1 },
): Promise<void> {
  await database.db
    .insertInto('push_setting')
    .values({
      ...setting,
      shard: 7,
      url: 'https://example.com/',
      timeout_ms: 10_000,
      retries: 3,
      concurrency: 64,
      created_at: 0,
      updated_at: 0,
      switched_at: 0,
    })
    .execute();
}

function waiting(database: Database) {
  return database.db.selectFrom('push').selectAll().orderBy('created_at').execute();
}
