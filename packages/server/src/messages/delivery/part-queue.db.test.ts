import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { createPartQueue, type PartSource, type QueuedPart } from './part-queue.ts';

onBothDatabases('the submit queue', (open) => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+86138001${10_000 + index}`);

  function takeAll(source: PartSource): QueuedPart[] {
    const taken: QueuedPart[] = [];
    for (let part = source.next(); part !== undefined; part = source.next()) taken.push(part);
    return taken;
  }

  async function fill(world: MessagesWorld, source: PartSource): Promise<void> {
    await world.time.advance(250);
    await source.fill();
  }

  /** Rows that are read after `holdRows` arrive late: the look has seen the database as it was before. */
  function lateRows(real: Db) {
    let arrived = Promise.resolve();
    const db = real.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await arrived;
        return result;
      },
    });
    const holdRows = () => {
      const { promise, resolve: arrive, reject: fail } = Promise.withResolvers<void>();
      // It may fail before a look waits for it.
      promise.catch(() => {});
      arrived = promise;
      return { arrive, fail };
    };
    return { db, holdRows };
  }

  test('a carrier has one source at a time, and gets nothing of another carrier', async (t) => {
    const world = await openMessagesWorld(t, open);
    const source = world.queue.open('simulator');
    assert.throws(() => world.queue.open('simulator'));
    const other = world.queue.open('other');
    await world.sendTo(numbers(2));
    await fill(world, source);
    await fill(world, other);
    assert.equal(takeAll(source).length, 2);
    assert.equal(takeAll(other).length, 0);
    source.close();
    world.queue.open('simulator').close();
  });

  test('what is given out is not given out again until it is released', async (t) => {
    const world = await openMessagesWorld(t, open);
    const source = world.queue.open('simulator');
    await source.fill();
    await world.sendTo(numbers(3));
    const [first, ...others] = takeAll(source);
    assert.equal(others.length, 2, 'handed over in memory');
    await fill(world, source);
    assert.deepEqual(takeAll(source), []);
    assert.ok(first !== undefined);
    source.release(first);
    await fill(world, source);
    assert.deepEqual(
      takeAll(source).map(({ id }) => id),
      [first.id],
    );
  });

  test('a look that began before a result was durable does not bring its part back', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, deliveries, time } = world;
    const { db, holdRows } = lateRows(database.db);
    const queue = createPartQueue({ database: { ...database, db }, clock: time.clock });
    const source = queue.open('simulator');
    await world.sendTo(numbers(1));
    await fill(world, source);
    const [part] = takeAll(source);
    assert.ok(part !== undefined);
    const rows = holdRows();
    await time.advance(250);
    const looking = source.fill();
    await time.advance(0);
    const taken = { carrierId: 'simulator', carrierMessageId: 'm', simulated: true };
    await deliveries.apply({ kind: 'taken', part: part.ref, ...taken });
    source.release(part);
    rows.arrive();
    await looking;
    assert.deepEqual(takeAll(source), []);
  });

  test('what is offered during a look is handed over when the look ends, and once', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const accepting = world.queue.open('simulator');
    await accepting.fill();
    const { db, holdRows } = lateRows(database.db);
    const queue = createPartQueue({ database: { ...database, db }, clock: time.clock });
    const source = queue.open('simulator');
    let heard = 0;
    source.onReady(() => {
      heard += 1;
    });
    const rows = holdRows();
    const looking = source.fill();
    await time.advance(0);
    const batchId = await world.sendTo(numbers(2));
    const parts = takeAll(accepting);
    assert.equal(parts.length, 2);
    queue.expect([batchId]).offer(parts);
    assert.equal(source.next(), undefined);
    rows.arrive();
    await looking;
    assert.deepEqual(takeAll(source), parts);
    assert.equal(heard, 1);
    await fill(world, source);
    assert.equal(source.next(), undefined);
  });

  test('what is offered during a look that fails is found by the next one', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const { db, holdRows } = lateRows(database.db);
    const queue = createPartQueue({ database: { ...database, db }, clock: time.clock });
    const source = queue.open('simulator');
    await source.fill();
    const batchId = await world.sendTo(numbers(2));
    const accepting = world.queue.open('simulator');
    await fill(world, accepting);
    const rows = holdRows();
    const looking = source.fill();
    queue.expect([batchId]).offer(takeAll(accepting));
    const failed = assert.rejects(looking, /away/);
    rows.fail(new Error('the database is away'));
    await failed;
    holdRows().arrive();
    await source.fill();
    assert.equal(takeAll(source).length, 2, 'at once');
  });

  test('what a look found before its committer heard of the commit is submitted once', async (t) => {
    const world = await openMessagesWorld(t, open);
    const queue = createPartQueue({ database: world.database, clock: world.time.clock });
    const source = queue.open('simulator');
    await world.sendTo(numbers(2));
    await fill(world, source);
    const [found, ...others] = takeAll(source);
    assert.ok(found !== undefined && others.length === 1);
    for (const part of [found, ...others]) source.release(part);

    const expected = queue.expect([found.ref.batchId]);
    await fill(world, source);
    const taken = takeAll(source);
    assert.equal(taken.length, 2);
    for (const part of taken) source.release(part);
    expected.offer(taken);
    assert.equal(source.next(), undefined);
    expected.end();

    const unfound = queue.expect(['another-batch']);
    unfound.offer(taken);
    unfound.end();
    assert.equal(takeAll(source).length, 2, 'and what no look has found is handed over');
  });

  test('what was being committed when the carrier came here is left to the database', async (t) => {
    const world = await openMessagesWorld(t, open);
    const queue = createPartQueue({ database: world.database, clock: world.time.clock });
    const source = queue.open('simulator');
    await world.sendTo(numbers(1));
    await fill(world, source);
    const parts = takeAll(source);
    source.close();
    const expected = queue.expect(parts.map(({ ref }) => ref.batchId));
    const opened = queue.open('simulator');
    expected.offer(parts);
    assert.equal(opened.next(), undefined);
    await fill(world, opened);
    assert.equal(takeAll(opened).length, 1);
  });

  test('more than memory holds stays in the database, and comes in its order', async (t) => {
    const world = await openMessagesWorld(t, open);
    const queue = createPartQueue({ database: world.database, clock: world.time.clock, maxReady: 10 });
    const source = queue.open('simulator');
    for (let turn = 0; turn < 8; turn += 1) {
      await world.sendTo(numbers(4));
      await world.time.advance(1);
    }
    const order: string[] = [];
    for (let round = 0; round < 20 && order.length < 32; round += 1) {
      await fill(world, source);
      const taken = takeAll(source);
      assert.ok(taken.length <= 10);
      order.push(...taken.map(({ ref }) => ref.batchId));
    }
    assert.equal(order.length, 32);
    assert.deepEqual(order, order.toSorted());
  });

  test('a backlog is read once, whatever is under way, even where all of it is due at one moment', async (t) => {
    const world = await openMessagesWorld(t, open);
    let read = 0;
    const db = world.database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        read += result.rows.length;
        return result;
      },
    });
    const queue = createPartQueue({ database: { ...world.database, db }, clock: world.time.clock, maxReady: 10 });
    const source = queue.open('simulator');
    for (let turn = 0; turn < 3; turn += 1) await world.sendTo(numbers(40));
    await world.time.advance(1);
    for (let turn = 0; turn < 5; turn += 1) {
      await world.sendTo(numbers(16));
      await world.time.advance(1);
    }
    const taken = new Set<string>();
    for (let round = 0; round < 60 && taken.size < 200; round += 1) {
      await source.fill();
      // Nothing is released: all of it is under way.
      for (const { id } of takeAll(source)) taken.add(id);
    }
    assert.equal(taken.size, 200);
    // One more, which sees that these were all.
    await source.fill();
    // Each look reads again what is under way of those that were due at the very moment at which the one before ended, 120
    // of these 200 at most; from the start they read 2,100.
    assert.ok(read < 1_100, `${read} rows were read`);
    const before = read;
    for (let round = 0; round < 3; round += 1) await source.fill();
    assert.equal(read, before, 'and nothing before it is time to');
  });

  test('what was taken and is done makes no later look larger, even where all is due at one moment', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const source = createPartQueue({ database, clock: time.clock, maxReady: 10 }).open('simulator');
    await world.sendTo(numbers(200));
    const taken: number[] = [];
    for (let round = 0; round < 100 && taken.length < 20; round += 1) {
      await source.fill();
      const parts = takeAll(source);
      taken.push(parts.length);
      for (const { ref } of parts) {
        await database.db
          .deleteFrom('message_part')
          .where('batch_id', '=', ref.batchId)
          .where('position', '=', ref.position)
          .execute();
      }
      for (const part of parts) source.release(part);
    }
    assert.deepEqual(taken, new Array(20).fill(10));
  });

  test('what is due later than any wait becomes due now, in its order, of one carrier and nothing else', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const now = time.clock.now();
    const wait = 1_000_000;
    for (let turn = 0; turn < 2; turn += 1) await world.sendTo(numbers(1_000));
    const meant = await world.sendTo(numbers(3));
    const foreign = await world.sendTo(numbers(3));
    const parts = () =>
      database.db
        .selectFrom('message_part')
        .selectAll()
        .orderBy('due_at')
        .orderBy('batch_id')
        .orderBy('position')
        .execute();
    let latest = now + wait;
    for (const { batch_id, position } of await parts()) {
      latest += 1;
      await database.db
        .updateTable('message_part')
        .set({
          due_at: batch_id === meant ? now + wait : latest,
          carrier_id: batch_id === foreign ? 'other' : 'simulator',
        })
        .where('batch_id', '=', batch_id)
        .where('position', '=', position)
        .execute();
    }
    const before = await parts();
    assert.equal(await world.queue.pullForward('simulator', wait), 2_000);
    const after = await parts();
    const of = (rows: typeof before, batchId: string) => rows.filter(({ batch_id }) => batch_id === batchId);
    for (const batchId of [meant, foreign]) assert.deepEqual(of(after, batchId), of(before, batchId));
    const names = (rows: typeof before) => rows.map(({ batch_id, position }) => `${batch_id} ${position}`).sort();
    const late = before.filter(({ due_at, carrier_id }) => due_at > now + wait && carrier_id === 'simulator');
    for (const [index, chunk] of [late.slice(0, 1_000), late.slice(1_000)].entries()) {
      assert.deepEqual(names(after.filter(({ due_at }) => due_at === now + index)), names(chunk));
    }
    assert.equal(await world.queue.pullForward('simulator', wait), 0);
  });

  test('what is committed late, behind the place that was read, is found all the same', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, time } = world;
    const queue = createPartQueue({ database, clock: time.clock, maxReady: 10 });
    const source = queue.open('simulator');
    for (let turn = 0; turn < 8; turn += 1) {
      await world.sendTo(numbers(12));
      await time.advance(1);
    }
    const taken = new Set<string>();
    const takeSome = async () => {
      await source.fill();
      for (const { id } of takeAll(source)) taken.add(id);
    };
    await takeSome();
    await takeSome();
    assert.equal(taken.size, 20);
    await world.sendTo(['+8613900000000']);
    const late = await database.db
      .selectFrom('message_part')
      .selectAll()
      .orderBy('due_at', 'desc')
      .executeTakeFirstOrThrow();
    await database.db
      .updateTable('message_part')
      .set({ due_at: late.due_at - 60_000 })
      .where('batch_id', '=', late.batch_id)
      .execute();
    const isFound = () => [...taken].some((id) => id.includes(late.batch_id));
    for (let round = 0; round < 3; round += 1) await takeSome();
    assert.equal(taken.size, 50);
    assert.equal(isFound(), false, 'nobody looks behind the place all the time');
    await time.advance(2_000);
    await takeSome();
    assert.equal(isFound(), true);
  });
});
