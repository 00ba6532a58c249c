import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noMatches } from '@waxwing/smpp/message-id-form.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { type CarriersWorld, openCarriersWorld } from '../carriers-world.testing.ts';
import { leaseOf } from '../run-carriers.ts';
import { listDownCarriers } from './down-carriers.ts';
import { noCounts } from './link-counts.ts';
import type { ConnectionState } from './link-group.ts';
import { createLinkRecords } from './link-record-store.ts';

const shown = async ({ database }: CarriersWorld) =>
  (await listDownCarriers(database, 0)).map(({ name, isRefused, words }) => ({ name, isRefused, words }));

async function hold({ database }: CarriersWorld, id: string, forMs: number): Promise<void> {
  const lease = { name: leaseOf(id), holder: 'one', epoch: 1, until: (await databaseNow(database)) + forMs };
  await database.db.deleteFrom('lease').where('name', '=', lease.name).execute();
  await database.db.insertInto('lease').values(lease).execute();
}

async function say(world: CarriersWorld, id: string, connection: Partial<ConnectionState>, downSince?: number) {
  const records = createLinkRecords(world.database, world.time.clock);
  const connections = [{ state: 'bound' as const, since: 1, windowUsed: 0, lastError: undefined, ...connection }];
  await records.write(id, {
    connections,
    downSince,
    counts: noCounts,
    lastKeepAliveAt: undefined,
    tally: noMatches,
    taughtBy: '',
  });
}

onBothDatabases('carriers without a link', (open) => {
  test('a carrier is down from its creation, until a server binds it', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    assert.deepEqual(await shown(world), [{ name: 'main', isRefused: false, words: undefined }]);
    await hold(world, id, 10_000);
    await say(world, id, {});
    assert.deepEqual(await shown(world), []);
  });

  test('it is told whether it refuses the bind, and in which words', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    await hold(world, id, 10_000);
    await say(world, id, { state: 'refused', lastError: 'ESME_RINVPASWD (0x0000000e)' }, world.time.clock.now());
    assert.deepEqual(await shown(world), [{ name: 'main', isRefused: true, words: 'ESME_RINVPASWD (0x0000000e)' }]);
  });

  test('one whose server has died is down, and is not shown as bound', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    await hold(world, id, 10_000);
    await say(world, id, {});
    await hold(world, id, -1_000);
    assert.equal((await shown(world)).length, 1);
    const { state, connections } = await world.states.show(id);
    assert.deepEqual([state, connections], ['connecting', []]);
  });

  test('one whose server has stopped is down since then, and at a start since the start', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    const { clock } = world.time;
    const [stopped, started] = [clock.now() + 60_000, clock.now() + 3_600_000];
    await say(world, id, {}, stopped);
    const lease = { name: leaseOf(id), holder: 'one', epoch: 1, until: 0 };
    await world.database.db.insertInto('lease').values(lease).execute();
    const since = async (began: number) => (await listDownCarriers(world.database, began))[0]?.since;
    assert.deepEqual([await since(0), await since(started)], [stopped, started]);
  });

  test('a disabled or deleted one is nobody’s trouble', async (t) => {
    const world = await openCarriersWorld(t, open);
    const [one, two] = [await world.create('one'), await world.create('two')];
    await world.carriers.setEnabled('test', one, false);
    await world.carriers.delete('test', two);
    assert.deepEqual(await shown(world), []);
  });
});
