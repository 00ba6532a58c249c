import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { dayMs, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { delivered, rejected, undelivered, type Verdict } from '../state/message-state.ts';
import type { PartEvent, PartRef } from '../state/part-event.ts';
import { endOpenMessages } from './grace-worker.ts';

onBothDatabases('what becomes of messages', (open) => {
  const part = (world: MessagesWorld, batchId: string, index = 0, position = 0): PartRef => ({
    organizationId: world.organizationId,
    batchId,
    position,
    part: index,
  });
  const taken = (ref: PartRef, carrierMessageId: string): PartEvent => ({
    kind: 'taken',
    part: ref,
    carrierId: 'c',
    carrierMessageId,
    simulated: true,
  });
  const receipt = (carrierMessageId: string, verdict: Verdict): PartEvent => ({
    kind: 'receipt',
    carrierId: 'c',
    carrierMessageId,
    verdict,
  });
  const count = async (world: MessagesWorld, table: 'message_part' | 'orphan_receipt' | 'carrier_message') =>
    (await world.database.db.selectFrom(table).selectAll().execute()).length;

  test('a receipt settles its message once: status, event and push in one transaction', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(['13800138000', '+8613800138001'].slice(1));
    await world.deliveries.apply(taken(part(world, batchId), 'm1'));
    assert.equal(await count(world, 'message_part'), 0);
    const [sent] = await world.messagesOf(batchId);
    assert.deepEqual([sent?.parts, sent?.status, sent?.carrier_id, sent?.simulated], ['s', null, 'c', 1]);

    await world.time.advance(1_000);
    await world.deliveries.apply(receipt('m1', delivered));
    await world.deliveries.apply(receipt('m1', delivered));
    const [settled] = await world.messagesOf(batchId);
    assert.deepEqual([settled?.status, settled?.settled_at], ['DELIVRD', world.time.clock.now()]);
    assert.deepEqual(
      (await world.events()).map(({ number, kind, subject_id, position }) => [number, kind, subject_id, position]),
      [[1, 'status', batchId, 0]],
    );
    assert.deepEqual(await world.pushes(), [{ batch_id: batchId, mobile: '+8613800138001', status: 'DELIVRD' }]);
    const push = await world.database.db.selectFrom('push').select('id').executeTakeFirstOrThrow();
    assert.equal(settled?.push_id, push.id);
  });

  test('with the push switched off a message is settled all the same, and keeps no push', async (t) => {
    const world = await openMessagesWorld(t, open);
    await world.database.db.updateTable('push_setting').set({ enabled: 0 }).execute();
    const batchId = await world.sendTo(['+8613800138000']);
    await world.deliveries.apply(taken(part(world, batchId), 'm1'));
    await world.deliveries.apply(receipt('m1', undelivered));
    const [settled] = await world.messagesOf(batchId);
    assert.deepEqual([settled?.status, settled?.push_id], ['UNDELIV', null]);
    assert.equal((await world.events()).length, 1);
  });

  test('a receipt that overtakes its submit answer waits for it', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(['+8613800138000']);
    await world.deliveries.apply(receipt('m1', rejected('network error 27')));
    await world.deliveries.apply(receipt('m1', rejected('network error 27')));
    assert.equal(await count(world, 'orphan_receipt'), 1);
    await world.deliveries.apply(taken(part(world, batchId), 'm1'));
    const [settled] = await world.messagesOf(batchId);
    assert.deepEqual([settled?.status, settled?.memo], ['REJECTED', 'network error 27']);
    assert.equal(await count(world, 'orphan_receipt'), 0);
    assert.equal((await world.events()).length, 1);
  });

  test('answer and receipt in one group belong together in whatever order they come', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(['+8613800138000', '+8613800138001']);
    await Promise.all([
      world.deliveries.apply(receipt('m0', delivered)),
      world.deliveries.apply(taken(part(world, batchId), 'm0')),
      world.deliveries.apply(taken(part(world, batchId, 0, 1), 'm1')),
      world.deliveries.apply(receipt('m1', undelivered)),
    ]);
    assert.deepEqual(
      (await world.messagesOf(batchId)).map(({ status, carrier_id }) => [status, carrier_id]),
      [
        ['DELIVRD', 'c'],
        ['UNDELIV', 'c'],
      ],
    );
  });

  test('a receipt committed beside its answer is matched a round later', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, time } = world;
    const batchId = await world.sendTo(['+8613800138000']);
    await deliveries.apply(taken(part(world, batchId), 'm1'));
    // As another node leaves it that has not seen the answer yet.
    await database.db
      .insertInto('orphan_receipt')
      .values({ carrier_id: 'c', carrier_message_id: 'm1', status: 'DELIVRD', memo: null, received_at: 1 })
      .execute();
    await endOpenMessages({ database, deliveries, ...time });
    assert.equal((await world.messagesOf(batchId))[0]?.status, 'DELIVRD');
    assert.equal(await count(world, 'orphan_receipt'), 0);
  });

  test('a contradicting receipt changes nothing and is logged without the number', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(['+8613800138000']);
    await world.deliveries.apply(taken(part(world, batchId), 'm1'));
    await world.deliveries.apply(receipt('m1', delivered));
    await world.deliveries.apply(receipt('m1', undelivered));
    assert.equal((await world.messagesOf(batchId))[0]?.status, 'DELIVRD');
    assert.equal((await world.pushes()).length, 1);
    assert.deepEqual(
      world.log.map(({ fields }) => fields),
      [{ batch: batchId, position: 0, held: 'DELIVRD', came: 'UNDELIV' }],
    );
  });

  test('several segments are settled by the last receipt, whatever the order', async (t) => {
    const world = await openMessagesWorld(t, open);
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    for (const order of orders) {
      const batchId = await world.sendTo(['+8613800138000'], '长'.repeat(150));
      const name = (index: number) => `${batchId} ${index}`;
      for (const index of order) await world.deliveries.apply(taken(part(world, batchId, index), name(index)));
      for (const [turn, index] of order.entries()) {
        assert.equal((await world.messagesOf(batchId))[0]?.status, null);
        await world.deliveries.apply(receipt(name(index), turn === 1 ? rejected(`part ${index}`) : delivered));
      }
      const [settled] = await world.messagesOf(batchId);
      assert.deepEqual([settled?.status, settled?.memo], ['REJECTED', `part ${order[1]}`]);
    }
    assert.equal((await world.pushes()).length, orders.length);
  });

  test('validity and grace end an open message and take it out of the queue; late receipts change nothing', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, time } = world;
    const queued = await world.sendTo(['+8613800138000']);
    const sent = await world.sendTo(['+8613800138001']);
    await deliveries.apply(taken(part(world, sent), 'm1'));
    await time.advance(2 * dayMs - 1);
    await endOpenMessages({ database, deliveries, ...time });
    assert.equal((await world.events()).length, 0);
    await time.advance(1);
    await endOpenMessages({ database, deliveries, ...time });
    for (const batchId of [queued, sent]) {
      assert.equal((await world.messagesOf(batchId))[0]?.status, 'UNDELIV');
    }
    assert.equal(await count(world, 'message_part'), 0);
    await deliveries.apply(receipt('m1', delivered));
    await endOpenMessages({ database, deliveries, ...time });
    assert.equal((await world.messagesOf(sent))[0]?.status, 'UNDELIV');
    assert.equal((await world.pushes()).length, 2);
  });

  test('a refusal by the carrier takes the part out of the queue, with the reason in memo', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(['+8613800138000']);
    const verdict = rejected('destination address invalid (0x0000000b)');
    await world.deliveries.apply({ kind: 'ended', part: part(world, batchId), verdict });
    assert.equal(await count(world, 'message_part'), 0);
    assert.deepEqual(await world.pushes(), [
      {
        batch_id: batchId,
        mobile: '+8613800138000',
        status: 'REJECTED',
        memo: 'destination address invalid (0x0000000b)',
      },
    ]);
  });

  test('a postponed part waits, and one that has left the queue is not brought back', async (t) => {
    const world = await openMessagesWorld(t, open);
    const [one, two] = [await world.sendTo(['+8613800138000']), await world.sendTo(['+8613800138001'])];
    const later = { kind: 'postponed', dueAt: 77, attempts: 2, unanswered: 1, refusedBy: [], next: undefined } as const;
    await world.deliveries.apply(taken(part(world, two), 'm2'));
    await world.deliveries.apply({ ...later, part: part(world, one) });
    await world.deliveries.apply({ ...later, part: part(world, two) });
    const parts = await world.database.db.selectFrom('message_part').selectAll().execute();
    assert.deepEqual(
      parts.map((row) => [row.batch_id, row.due_at, row.attempts, row.unanswered]),
      [[one, 77, 2, 1]],
    );
  });

  test('a carrier that gives an id again means the newer part', async (t) => {
    const world = await openMessagesWorld(t, open);
    const [old, young] = [await world.sendTo(['+8613800138000']), await world.sendTo(['+8613800138001'])];
    await world.deliveries.apply(taken(part(world, old), 'm1'));
    await world.deliveries.apply(taken(part(world, young), 'm1'));
    await world.deliveries.apply(receipt('m1', delivered));
    assert.equal((await world.messagesOf(old))[0]?.status, null);
    assert.equal((await world.messagesOf(young))[0]?.status, 'DELIVRD');
  });

  test('one event that no database can hold fails alone, and its neighbours are committed', async (t) => {
    const world = await openMessagesWorld(t, open);
    const mobiles = Array.from({ length: 9 }, (_, index) => `+861380013800${index}`);
    const batchId = await world.sendTo(mobiles);
    const results = await Promise.allSettled(
      mobiles.map((_, position) =>
        world.deliveries.apply(taken(part(world, batchId, 0, position), position === 4 ? 'bad\0id' : `m${position}`)),
      ),
    );
    assert.deepEqual(
      results.map(({ status }) => status === 'fulfilled'),
      mobiles.map((_, position) => position !== 4),
    );
    assert.equal(await count(world, 'carrier_message'), 8);
    assert.equal(await count(world, 'message_part'), 1);
  });

  test('receipts of one message at two nodes at once settle it once', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    for (let round = 0; round < 10; round += 1) {
      const batchId = await world.sendTo(['+8613800138000'], 'x'.repeat(300));
      const names = [`${batchId} 0`, `${batchId} 1`] as const;
      for (const [index, name] of names.entries()) {
        await world.deliveries.apply(taken(part(world, batchId, index), name));
      }
      await Promise.all([
        world.deliveries.apply(receipt(names[0], delivered)),
        other.deliveries.apply(receipt(names[1], delivered)),
        other.deliveries.apply(receipt(names[0], delivered)),
        world.deliveries.apply(receipt(names[1], delivered)),
      ]);
      assert.equal((await world.messagesOf(batchId))[0]?.status, 'DELIVRD');
    }
    assert.equal((await world.events()).length, 10);
    assert.equal((await world.pushes()).length, 10);
  });
});
