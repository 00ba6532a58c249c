import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { recordReplies } from '../delivery/apply-reply.ts';
import { hourMs, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { delivered, rejected, undelivered, type Verdict } from '../state/message-state.ts';
import type { PartEvent } from '../state/part-event.ts';
import { findFirstEventSince } from './missed-event-store.ts';
import { createMissedEvents } from './missed-events.ts';

onBothDatabases('what happened while pushes were off', (open) => {
  test('is queued later, in its order and a few at a time, once', async (t) => {
    const world = await openMessagesWorld(t, open);
    await settleSome(world, 2);
    await switchTo(world, 'status', 0);
    const batches = await settleSome(world, 5);
    await switchTo(world, 'status', 1);
    await settleSome(world, 1);
    assert.equal((await world.pushes()).length, 3);

    const queued: string[][] = [];
    let after = await missedOf(world).markBefore(world.organizationId, 0);
    for (let isLast = false; !isLast; ) {
      const before = await batchesOfPushes(world);
      ({ after, isLast } = await enqueue(world, { after, limit: 2 }));
      queued.push((await batchesOfPushes(world)).filter((batch) => !before.includes(batch)));
    }
    assert.deepEqual(queued, [batches.slice(0, 2), batches.slice(2, 4), batches.slice(4)]);
    assert.deepEqual(
      (await world.pushes()).find((push) => (push as { batch_id: string }).batch_id === batches[0]),
      { batch_id: batches[0], mobile: '+8613800138000', status: 'DELIVRD' },
    );
    for (const batch of batches) assert.notEqual((await world.messagesOf(batch))[0]?.push_id, null);

    // Nothing is left, and a receipt that comes late changes nothing of it.
    assert.equal((await enqueue(world, { after: 0, limit: 100 })).queued, 0);
    const before = await world.messagesOf(batches[0] ?? '');
    await world.deliveries.apply(verdictOf(world, batches[0] ?? '', undelivered));
    assert.deepEqual(await world.messagesOf(batches[0] ?? ''), before);
  });

  test('counts from a moment on, and is its organization’s and its kind’s alone', async (t) => {
    const world = await openMessagesWorld(t, open);
    await switchTo(world, 'status', 0);
    await switchTo(world, 'uplink', 0);
    const [early = ''] = await settleSome(world, 1);
    await world.time.advance(hourMs);
    const since = world.time.clock.now();
    const [late = ''] = await settleSome(world, 1, rejected('no route'));
    await reply(world, world.organizationId, 'yes');
    await reply(world, world.otherOrganizationId, 'no');
    await switchTo(world, 'status', 1);
    await switchTo(world, 'uplink', 1);

    const after = await missedOf(world).markBefore(world.organizationId, since);
    assert.equal(after, 1);
    assert.equal((await enqueue(world, { after, since, limit: 10 })).queued, 1);
    assert.deepEqual(await world.pushes(), [
      { batch_id: late, mobile: '+8613800138000', status: 'REJECTED', memo: 'no route' },
    ]);
    assert.equal((await world.messagesOf(early))[0]?.push_id, null);

    await world.time.advance(1);
    assert.equal((await enqueue(world, { kind: 'uplink', after, since, limit: 10 })).queued, 1);
    assert.deepEqual((await world.pushes())[1], { mobile: '+8613800138000', message: 'yes' });
    assert.equal((await enqueue(world, { kind: 'uplink', after: 0, limit: 10 })).queued, 0);
  });

  test('stays missed when the switch is off again, or the transaction fails', async (t) => {
    const world = await openMessagesWorld(t, open);
    await switchTo(world, 'status', 0);
    await settleSome(world, 2);
    const off = await enqueue(world, { after: 0, limit: 10 });
    assert.deepEqual([off.after, off.queued, off.isLast], [0, 0, false]);
    await switchTo(world, 'status', 1);
    const failing = world.database.transaction(async (trx) => {
      await missedOf(world).enqueue(trx, question(world, { after: 0, limit: 10 }));
      throw new Error('changed its mind');
    });
    await assert.rejects(failing, /changed its mind/);
    assert.deepEqual(await world.pushes(), []);
    assert.equal((await enqueue(world, { after: 0, limit: 10 })).queued, 2);
  });

  test('is found behind what retention has removed, and by halving among many', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { db } = world.database;
    const organization_id = world.organizationId;
    assert.equal(await findFirstEventSince(db, organization_id, 5), 0);
    await db.insertInto('message_counter').values({ organization_id, value: 200, forgotten: 100 }).execute();
    const events = Array.from({ length: 100 }, (_, index) => ({
      organization_id,
      number: 101 + index,
      kind: 'status' as const,
      subject_id: `b${index}`,
      position: 0,
      at: 1_000 + index,
    }));
    await db.insertInto('message_event').values(events).execute();
    for (const [since, mark] of [
      [0, 100],
      [1_000, 100],
      [1_001, 101],
      [1_050, 150],
      [1_099, 199],
      [9_999, 200],
    ] as const) {
      assert.equal(await findFirstEventSince(db, organization_id, since), mark, `${since}`);
    }
    const step = await enqueue(world, { after: 0, limit: 10 });
    assert.deepEqual([step.after, step.queued, step.isLast], [200, 0, true]);
  });
});

function missedOf({ database, outbox }: MessagesWorld) {
  return createMissedEvents({ database, outbox });
}

interface Asked {
  readonly kind?: 'status' | 'uplink';
  readonly after: number;
  readonly since?: number;
  readonly limit: number;
}

function question(world: MessagesWorld, { kind = 'status', since = 0, ...rest }: Asked) {
  return { organizationId: world.organizationId, kind, since, ...rest };
}

function enqueue(world: MessagesWorld, asked: Asked) {
  return world.database.transaction((trx) => missedOf(world).enqueue(trx, question(world, asked)));
}

/** Sends messages and settles each. @returns their batches */
async function settleSome(world: MessagesWorld, count: number, verdict = delivered): Promise<string[]> {
  const batches: string[] = [];
  for (let index = 0; index < count; index += 1) {
    await world.time.advance(1);
    const batch = await world.sendTo(['+8613800138000']);
    await world.deliveries.apply(verdictOf(world, batch, verdict));
    batches.push(batch);
  }
  return batches;
}

function verdictOf({ organizationId }: MessagesWorld, batchId: string, verdict: Verdict): PartEvent {
  return { kind: 'ended', part: { organizationId, batchId, position: 0, part: 0 }, verdict };
}

async function batchesOfPushes(world: MessagesWorld): Promise<string[]> {
  return (await world.pushes()).map((push) => (push as { batch_id: string }).batch_id).sort();
}

async function switchTo({ database }: MessagesWorld, kind: 'status' | 'uplink', enabled: 0 | 1): Promise<void> {
  await database.db.updateTable('push_setting').set({ enabled }).where('kind', '=', kind).execute();
}

function reply({ database, outbox, time }: MessagesWorld, organizationId: string, text: string): Promise<void> {
  const from = '+8613800138000';
  const facts = { ownedBy: 'number', carrierId: 'c', simulated: true, stop: false } as const;
  return recordReplies({ database, outbox, clock: time.clock }, [{ ...facts, organizationId, from, to: '1069', text }]);
}
