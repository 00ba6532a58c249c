import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../database/database.ts';
import type { Flag } from '../../database/schema/column-types.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { type Settlement, settle } from '../engine/settlement-store.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from '../push-world.testing.ts';

// Switched on again at another server: of 30 messages accepted from then on, 3 to 9 ended as off.
onBothDatabases('what is queued after a switch was turned on', (open) => {
  test('is pushed by a server that has not heard of it', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'old'));
    await world.quiet(engine);
    await turn(world, 0);
    await engine.look();
    await world.quiet(engine);
    receiver.serve = (socket) => socket.write(reply(200));
    receiver.requests.length = 0;
    await turnElsewhere(world, 1);
    // More than are ended at once.
    await accept(world, ...manyStatuses(world, 600));
    await world.quiet(engine);
    assert.deepEqual(await statesOf(world), { off: 1, delivered: 600 });
    assert.equal(receiver.requests.length, 600, 'each once');
  });

  test('and what waits are pushed although the server that ends it has just read that it is off', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port);
    let isEnding = false;
    const database: Database = {
      ...world.database,
      async runBatch(queries, next) {
        if (isEnding && queries.some(({ sql }) => sql.includes('insert into push_history'))) {
          isEnding = false;
          await turnElsewhere(world, 1);
          await accept(world, statusOf(world.organizationId, 'new'));
        }
        return world.database.runBatch(queries, next);
      },
    };
    const engine = world.engine({ database });
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'old'));
    await world.quiet(engine);
    receiver.serve = (socket) => socket.write(reply(200));
    receiver.requests.length = 0;
    isEnding = true;
    await turn(world, 0);
    await engine.look();
    await world.quiet(engine);
    assert.equal(isEnding, false);
    assert.deepEqual(await statesOf(world), { delivered: 1 });
    await world.later(30_000, engine);
    assert.deepEqual(await statesOf(world), { delivered: 2 });
    assert.equal(receiver.requests.length, 2);
  });

  test('is no reason to keep another setting’s pushes, nor any outcome', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, otherOrganizationId, database } = world;
    for (const id of [organizationId, otherOrganizationId]) await pointTo(world, id, 8099);
    const [on = '', answered = ''] = await accept(world, ...['b1', 'b2'].map((b) => statusOf(organizationId, b)));
    const [off = ''] = await accept(world, statusOf(otherOrganizationId));
    await database.db.insertInto('lease').values({ name: 'push/1', holder: 'n', epoch: 1, until: 0 }).execute();
    await world.settings.set('test', { organizationId: otherOrganizationId, kind: 'status', enabled: false });
    const facts = { lease: 'push/1', epoch: 1, attempts: 0, attempt: undefined };
    const settlements: readonly Settlement[] = [
      { ...facts, organizationId, id: on, end: { state: 'off', at: 1 } },
      { ...facts, organizationId, id: answered, end: { state: 'delivered', at: 1 } },
      { ...facts, organizationId: otherOrganizationId, id: off, end: { state: 'off', at: 1 } },
    ];
    assert.deepEqual(await settle(database, settlements), new Set([on]));
    assert.deepEqual(
      (await world.waiting()).map(({ id }) => id),
      [on],
    );
    assert.deepEqual(await statesOf(world), { delivered: 1, off: 1 });
    // Made again, as when the outcome of its commit was unknown.
    assert.deepEqual(await settle(database, settlements.slice(1)), new Set());
  });
});

async function turn(world: PushWorld, enabled: Flag): Promise<void> {
  await world.settings.set('test', { organizationId: world.organizationId, kind: 'status', enabled: enabled === 1 });
}

/** At another server: it is committed, and nobody here hears of it. */
async function turnElsewhere({ database, organizationId }: PushWorld, enabled: Flag): Promise<void> {
  const { db } = database;
  await db.updateTable('push_setting').set({ enabled }).where('organization_id', '=', organizationId).execute();
}

function manyStatuses({ organizationId }: PushWorld, count: number) {
  return Array.from({ length: count }, (_, index) => statusOf(organizationId, `b${index}`));
}

async function statesOf(world: PushWorld): Promise<Record<string, number>> {
  const rows = Object.entries(Object.groupBy(await world.history(), ({ state }) => state));
  return Object.fromEntries(rows.map(([state, pushes]) => [state, pushes.length]));
}
