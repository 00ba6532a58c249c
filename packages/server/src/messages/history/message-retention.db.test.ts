import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { createGraceWorker, endOpenMessages } from '../delivery/grace-worker.ts';
import { dayMs, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { delivered } from '../state/message-state.ts';
import { removeOldMessages } from './message-retention.ts';

onBothDatabases('how long messages are kept', (open) => {
  const retain = ({ database, time, log }: MessagesWorld) =>
    removeOldMessages(
      {
        database,
        ...time,
        messagesMs: 90 * dayMs,
        eventsMs: 30 * dayMs,
        openMs: 2 * dayMs,
        log: { warn: (fields, message) => log.push({ fields, message }) },
      },
      new AbortController().signal,
    );
  const batches = async ({ database }: MessagesWorld) =>
    (await database.db.selectFrom('message_batch').select('id').orderBy('id').execute()).map(({ id }) => id);

  test('after an outage longer than retention an open message gets its final status before it goes', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, organizationId, time } = world;
    const settled = await world.sendTo(['+8613800138000']);
    const part = { organizationId, batchId: settled, position: 0, part: 0 };
    const carrier = { carrierId: 'c', carrierMessageId: 'm' };
    await deliveries.apply({ kind: 'taken', part, ...carrier, simulated: true });
    await deliveries.apply({ kind: 'receipt', ...carrier, verdict: delivered });
    const waiting = await world.sendTo(['+8613800138001', '+8613800138002']);
    await time.advance(200 * dayMs);
    await retain(world);
    assert.deepEqual(await batches(world), [waiting]);
    assert.equal((await database.db.selectFrom('message_part').selectAll().execute()).length, 2);
    await endOpenMessages({ database, deliveries, ...time });
    assert.deepEqual(
      (await world.messagesOf(waiting)).map(({ status }) => status),
      ['UNDELIV', 'UNDELIV'],
    );
    assert.equal((await world.pushes()).length, 3);
    await retain(world);
    assert.deepEqual(await batches(world), []);
  });

  test('receipts of nobody and usage of former years go, chunk by chunk', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, time } = world;
    const count = 1_005;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        deliveries.apply({ kind: 'receipt', carrierId: 'c', carrierMessageId: `${index}`, verdict: delivered }),
      ),
    );
    await world.sendTo(['+8613800138000']);
    await time.advance(401 * dayMs);
    await world.sendTo(['+8613800138000']);
    await retain(world);
    assert.deepEqual(await database.db.selectFrom('orphan_receipt').selectAll().execute(), []);
    assert.deepEqual(
      world.log.map(({ fields }) => fields),
      [{ receipts: count }],
    );
    const usage = await database.db.selectFrom('daily_usage').select('day').execute();
    assert.deepEqual(
      usage.map(({ day }) => day),
      [new Date(time.clock.now()).toISOString().slice(0, 10)],
    );
  });

  test('a receipt that nobody knew is looked for again as long as its answer may be committed beside it', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, organizationId, time } = world;
    const batchId = await world.sendTo(['+8613800138000', '+8613800138001']);
    const take = (position: number) =>
      deliveries.apply({
        kind: 'taken',
        part: { organizationId, batchId, position, part: 0 },
        carrierId: 'c',
        carrierMessageId: `m${position}`,
        simulated: true,
      });
    /** As another node leaves it that has not seen the answer. */
    const leave = (position: number) =>
      database.db
        .insertInto('orphan_receipt')
        .values({
          carrier_id: 'c',
          carrier_message_id: `m${position}`,
          status: 'DELIVRD',
          memo: null,
          received_at: time.clock.now(),
        })
        .execute();
    const isSettled = async (position: number) =>
      (await world.messagesOf(batchId))[position]?.status === 'DELIVRD' || undefined;
    await take(0);
    await leave(0);
    await time.advance(dayMs);
    const stop = new AbortController();
    const ended = createGraceWorker({ database, deliveries, ...time }).run(stop.signal);
    try {
      // The first round looks at all there are, later ones at the young ones.
      await time.until(() => isSettled(0), 1_000);
      await take(1);
      await leave(1);
      await time.until(() => isSettled(1), 1_000);
    } finally {
      stop.abort();
      await ended;
    }
  });
});
