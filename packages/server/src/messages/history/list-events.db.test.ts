import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { EventsSuccess } from '@waxwing/contract/messaging-api.ts';
import { createChangeStreams } from '../../api/change-streams.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { Problem } from '../../runtime/problem.ts';
import { recordReplies } from '../delivery/apply-reply.ts';
import { dayMs, type MessagesNode, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { delivered, rejected } from '../state/message-state.ts';
import { parseCursor } from './event-cursor.ts';
import { readLatestEvents } from './latest-events.ts';
import { listEvents } from './list-events.ts';
import { removeOldMessages } from './message-retention.ts';

type Page = EventsSuccess['data'];

onBothDatabases('the events of an organization', (open) => {
  const page = (world: MessagesWorld, after?: string, limit = 100): Promise<Page> =>
    listEvents(world.database, {
      organizationId: world.organizationId,
      after: after === undefined ? undefined : parseCursor(after),
      limit,
    });

  async function deliver(world: MessagesWorld, batchId: string, node: MessagesNode = world): Promise<void> {
    const part = { organizationId: world.organizationId, batchId, position: 0, part: 0 };
    await node.deliveries.apply({
      kind: 'taken',
      part,
      carrierId: 'c',
      carrierMessageId: batchId,
      simulated: true,
    });
    await node.deliveries.apply({
      kind: 'receipt',
      carrierId: 'c',
      carrierMessageId: batchId,
      verdict: delivered,
    });
  }

  test('final statuses and replies come in one order, and a page ends where the next begins', async (t) => {
    const world = await openMessagesWorld(t, open);
    assert.deepEqual(await page(world), { events: [], next: 'e0', more: false });
    const first = await world.sendTo(['+8613800138000']);
    await deliver(world, first);
    await recordReplies({ ...world, clock: world.time.clock }, [
      {
        organizationId: world.organizationId,
        ownedBy: 'latest-message',
        carrierId: 'c',
        simulated: true,
        from: '+8613800138000',
        to: '106',
        text: '好的',
        stop: false,
      },
    ]);
    const second = await world.sendTo(['+86 138 0013 8001']);
    await world.deliveries.apply({
      kind: 'ended',
      part: { organizationId: world.organizationId, batchId: second, position: 0, part: 0 },
      verdict: rejected('carrier says no'),
    });

    const time = '2026-03-01T12:00:00.000Z';
    const all = await page(world);
    assert.deepEqual(all, {
      events: [
        {
          cursor: 'e1',
          kind: 'status',
          batch_id: first,
          mobile: '+8613800138000',
          status: 'DELIVRD',
          simulated: true,
          settled_at: time,
        },
        {
          cursor: 'e2',
          kind: 'reply',
          mobile: '+8613800138000',
          message: '好的',
          simulated: true,
          received_at: time,
        },
        {
          cursor: 'e3',
          kind: 'status',
          batch_id: second,
          mobile: '+86 138 0013 8001',
          status: 'REJECTED',
          memo: 'carrier says no',
          simulated: true,
          settled_at: time,
        },
      ],
      next: 'e3',
      more: false,
    });
    const one = await page(world, undefined, 1);
    assert.deepEqual([one.events, one.next, one.more], [all.events.slice(0, 1), 'e1', true]);
    const rest = await page(world, one.next);
    assert.deepEqual([rest.events, rest.more], [all.events.slice(1), false]);
    assert.deepEqual(await page(world, 'e3'), { events: [], next: 'e3', more: false });
  });

  test('another organization sees none of them, and its cursors are its own', async (t) => {
    const world = await openMessagesWorld(t, open);
    await deliver(world, await world.sendTo(['+8613800138000']));
    const other = { organizationId: world.otherOrganizationId, limit: 100 };
    assert.deepEqual(await listEvents(world.database, { ...other, after: undefined }), {
      events: [],
      next: 'e0',
      more: false,
    });
    await assert.rejects(
      listEvents(world.database, { ...other, after: 1 }),
      (error: unknown) => error instanceof Problem && error.code === 'invalid_parameter' && error.field === 'after',
    );
  });

  test('a reader beside twenty writers on two nodes skips nothing and sees nothing twice', async (t) => {
    const world = await openMessagesWorld(t, open);
    const nodes = [world, await world.node()];
    const perWriter = process.env.WAXWING_TEST_SCALE === 'full' ? 100 : 15;
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let turn = 0; turn < perWriter; turn += 1) {
          const batchId = await world.sendTo(['+8613800138000']);
          await deliver(world, batchId, nodes[(writer + turn) % nodes.length]);
        }
      }),
    ).finally(() => {
      writing = false;
    });
    const seen: string[] = [];
    let after: string | undefined;
    for (let last = false; !last; ) {
      last = !writing;
      const { events, next, more } = await page(world, after, 7);
      for (const event of events) if (event.kind === 'status') seen.push(event.batch_id);
      after = next;
      last &&= !more;
    }
    await writers;
    const sent = await world.database.db.selectFrom('message_batch').select('id').execute();
    assert.equal(sent.length, 20 * perWriter);
    assert.equal(seen.length, sent.length);
    assert.deepEqual(new Set(seen), new Set(sent.map(({ id }) => id)));
  });

  test('whoever reads only when an event stream tells them to misses nothing of twenty writers either', async (t) => {
    const world = await openMessagesWorld(t, open);
    const nodes = [world, await world.node()];
    const perWriter = process.env.WAXWING_TEST_SCALE === 'full' ? 50 : 5;
    const ended = new AbortController();
    const streams = createChangeStreams({
      db: world.database.db,
      feed: { listen: () => {} },
      clock: world.time.clock,
      latestEvents: (organizationIds) => readLatestEvents(world.database.db, organizationIds),
      wait: async (_ms, signal) => {
        await setImmediate(undefined, { signal }).catch(() => {});
      },
    });
    const working = streams.worker.run(ended.signal);
    const seen: string[] = [];
    const all = Promise.withResolvers<void>();
    let after: string | undefined;
    let reading = Promise.resolve();
    const read = async () => {
      for (let more = true; more; ) {
        const read = await page(world, after, 7);
        for (const event of read.events) if (event.kind === 'status') seen.push(event.batch_id);
        ({ more } = read);
        after = read.next;
      }
      if (seen.length >= 20 * perWriter) all.resolve();
    };
    let told = 0;
    streams.subscribe(world.organizationId, '0.0', {
      closed: ended.signal,
      beat: () => {},
      end: () => {},
      send() {
        told += 1;
        reading = reading.then(read);
        reading.catch(all.reject);
      },
    });
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let turn = 0; turn < perWriter; turn += 1) {
        await deliver(world, await world.sendTo(['+8613800138000']), nodes[(writer + turn) % nodes.length]);
      }
    });
    await Promise.all([...writers, all.promise]);
    await reading;
    ended.abort();
    await working;
    assert.deepEqual([seen.length, new Set(seen).size], [20 * perWriter, 20 * perWriter]);
    t.diagnostic(`${seen.length} events, told ${told} times`);
  });

  test('retention takes events, then messages; a cursor before it has expired, the next one has not', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const retain = () =>
      removeOldMessages(
        {
          database,
          ...time,
          messagesMs: 90 * dayMs,
          eventsMs: 30 * dayMs,
          openMs: 2 * dayMs,
          log: { warn: (fields, message) => world.log.push({ fields, message }) },
        },
        new AbortController().signal,
      );
    const tables = ['message_event', 'message', 'message_batch', 'message_part', 'carrier_message', 'reply'] as const;
    const counts = async () => {
      const rows = await Promise.all(tables.map((table) => database.db.selectFrom(table).selectAll().execute()));
      return rows.map(({ length }) => length);
    };
    await deliver(world, await world.sendTo(['+8613800138000']));
    await world.deliveries.apply({
      kind: 'receipt',
      carrierId: 'c',
      carrierMessageId: 'of nobody',
      verdict: delivered,
    });
    await time.advance(10 * dayMs);
    await deliver(world, await world.sendTo(['+8613800138000']));
    await retain();
    assert.deepEqual(await counts(), [2, 2, 2, 0, 1, 0]);
    assert.deepEqual(
      world.log.map(({ fields }) => fields),
      [{ receipts: 1 }],
    );

    await time.advance(20 * dayMs + 1);
    await retain();
    assert.deepEqual(await counts(), [1, 2, 2, 0, 0, 0]);
    assert.deepEqual(
      (await page(world)).events.map(({ cursor }) => cursor),
      ['e2'],
    );
    assert.equal((await page(world, 'e1')).events.length, 1);
    await assert.rejects(page(world, 'e0'), (error: unknown) => error instanceof Problem && error.status === 410);

    await time.advance(60 * dayMs);
    await retain();
    assert.deepEqual(await counts(), [0, 1, 1, 0, 0, 0]);
    await time.advance(10 * dayMs);
    await retain();
    assert.deepEqual(await counts(), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(await page(world, 'e2'), { events: [], next: 'e2', more: false });
  });
});
