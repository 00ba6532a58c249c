import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { onBothDatabases } from '../database/testing.ts';
import { reply, startTrialReceiver } from '../outbound/receiver.testing.ts';
import { createOutbox } from './outbox/outbox.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from './push-world.testing.ts';

const hour = 3_600_000;

onBothDatabases('a push that is not taken from its committer', (open, kind) => {
  test('is read in its turn, without a look, where its lane had no room', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...Array.from({ length: 200 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.quiet(engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 200);
  });

  for (const [clock, offset] of [
    ['behind', -hour],
    ['ahead', hour],
  ] as const) {
    test(`is found by the next look when a server whose clock is ${clock} commits it`, async (t) => {
      const world = await openPushWorld(t, open);
      await using receiver = await startTrialReceiver();
      await pointTo(world, world.organizationId, receiver.port);
      const engine = world.engine();
      await engine.beat();
      await elsewhere(world, offset).accept(statusOf(world.organizationId, 'foreign'));
      await world.later(1_000, engine);
      // A push that is due later than any wait can be is made due once a minute; an hour is a wait that can be.
      assert.equal(receiver.requests.length, offset > 0 ? 0 : 1);
      await world.later(Math.max(0, offset), engine);
      assert.deepEqual(await world.waiting(), []);
      assert.equal(receiver.requests.length, 1);
    });
  }

  // On SQLite there is one writer: nothing commits beside a transaction.
  if (kind === 'postgres') {
    test('is found by the next look when its transaction commits after younger ones were found', async (t) => {
      const world = await openPushWorld(t, open);
      await using receiver = await startTrialReceiver();
      await pointTo(world, world.organizationId, receiver.port);
      const engine = world.engine();
      await engine.beat();
      const commit = Promise.withResolvers<void>();
      const isWritten = Promise.withResolvers<void>();
      const late = world.database.transaction(async (trx) => {
        await world.outbox.enqueue(trx, [statusOf(world.organizationId, 'late')]);
        isWritten.resolve();
        await commit.promise;
      });
      await isWritten.promise;
      for (let second = 0; second < 10; second += 1) {
        await accept(world, statusOf(world.organizationId, `b${second}`));
        await world.later(1_000, engine);
      }
      assert.equal(receiver.requests.length, 10);
      commit.resolve();
      await late;
      await world.later(1_000, engine);
      assert.equal(receiver.requests.length, 11);
      assert.deepEqual(await world.waiting(), []);
    });
  }

  test('is found within seconds beside one whose attempt runs all the time, and that is begun once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const setting = await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'first'), statusOf(world.organizationId, 'second'));
    await world.quiet(engine);
    const held: (() => void)[] = [];
    receiver.serve = (socket) => held.push(() => socket.write(reply(200)));
    await accept(world, statusOf(world.organizationId, 'hung'));
    while (held.length < 1) await setImmediate();
    await elsewhere(world).accept(statusOf(world.organizationId, 'foreign'));
    for (let second = 0; second < 6; second += 1) {
      world.clock.advance(1_000);
      await engine.beat();
      await engine.look();
    }
    while (held.length < 2) await setImmediate();
    assert.equal(engine.laneStatus(setting)?.running, 2);
    for (const answer of held) answer();
    await world.quiet(engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 4);
  });
});

/** The outbox of another server on the same database. */
function elsewhere({ database, clock }: PushWorld, offset = 0) {
  return createOutbox({ database, clock: { ...clock, now: () => clock.now() + offset } });
}
