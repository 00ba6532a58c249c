import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { type MessagesWorld, openMessagesWorld } from './messages-world.testing.ts';
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
    // The rows arrive late: the look has seen the database as it was before.
    let arrived = () => {};
    const late = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let slow = false;
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (slow) await late;
        return result;
      },
    });
    const queue = createPartQueue({ database: { ...database, db }, clock: time.clock });
    const source = queue.open('simulator');
    await world.sendTo(numbers(1));
    await fill(world, source);
    const [part] = takeAll(source);
    assert.ok(part !== undefined);
    slow = true;
    await time.advance(250);
    const looking = source.fill();
    await time.advance(0);
    const taken = { carrierId: 'simulator', carrierMessageId: 'm', simulated: true };
    await deliveries.apply({ kind: 'taken', part: part.ref, ...taken });
    source.release(part);
    arrived();
    await looking;
    assert.deepEqual(takeAll(source), []);
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
});
