import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noMatches } from '@waxwing/smpp/message-id-form.ts';
import { noCounts } from '../carriers/links/link-counts.ts';
import type { ConnectionState } from '../carriers/links/link-group.ts';
import { createLinkRecords } from '../carriers/links/link-record-store.ts';
import { leaseOf } from '../carriers/run-carriers.ts';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { noteBackup } from '../instance/last-backup.ts';
import { never } from '../runtime/wait.ts';
import { minute, openWorld, told, type World } from './alerts-world.testing.ts';

async function openCarrier(world: World) {
  const { messaging, database, alerts } = world.application;
  await noteBackup(database.db, world.clock.now());
  await alerts.channels.create('test', {
    ...{ organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] },
  });
  const place = { name: 'Operator', protocol: 'smpp', address: 'smpp.example.com:2775' } as const;
  const id = await messaging.manageCarriers.create('test', { ...place, account: 'acme', password: 'S3cret12' });
  const name = leaseOf(id);
  return {
    id,
    /** The server that runs it says what its only connection does. */
    async say(state: ConnectionState['state'], lastError?: string) {
      const until = (await databaseNow(database)) + 10_000;
      await database.db.deleteFrom('lease').where('name', '=', name).execute();
      await database.db.insertInto('lease').values({ name, holder: 'one', epoch: 1, until }).execute();
      const since = world.clock.now();
      await createLinkRecords(database, world.clock).write(id, {
        connections: [{ state, since, windowUsed: 0, lastError }],
        downSince: state === 'bound' ? undefined : since,
        ...{ counts: noCounts, lastKeepAliveAt: undefined, tally: noMatches, taughtBy: '' },
      });
    },
    /** Its server dies. */
    crash: () => database.db.updateTable('lease').set({ until: 1 }).where('name', '=', name).execute(),
  };
}

/** What is told when the alerts are looked at after so many minutes. */
async function toldAfter(world: World, engine: ReturnType<World['engine']>, minutes: number) {
  world.clock.advance(minutes * minute);
  const before = told(world, 'email').length;
  await engine.beat();
  await engine.look();
  await engine.deliver(never);
  return told(world, 'email')
    .slice(before)
    .map((line) => line.slice(line.indexOf(' ') + 1));
}

const detail = (world: World) => world.sent.at(-1)?.notices.at(-1)?.detail;

onBothDatabases('alerts of carriers', (_open, kind) => {
  test('a carrier that refuses the bind is told after five minutes, with its words, and again when it is bound', async (t) => {
    const world = await openWorld(t, kind);
    const carrier = await openCarrier(world);
    const engine = world.engine('one');
    await carrier.say('bound');
    assert.deepEqual(await toldAfter(world, engine, 10), []);
    await carrier.say('refused', 'ESME_RINVPASWD (0x0000000e)');
    assert.deepEqual(await toldAfter(world, engine, 4), []);
    assert.deepEqual(await toldAfter(world, engine, 1), ['carrier.down: Carrier Operator refuses the bind']);
    assert.match(detail(world) ?? '', /ESME_RINVPASWD/);
    assert.deepEqual(await toldAfter(world, engine, 1), []);
    await carrier.say('bound');
    assert.deepEqual(await toldAfter(world, engine, 1), [
      'carrier.down.resolved: Carrier Operator is not down any more',
    ]);
  });

  test('one whose server died is told after five minutes, and its end when it is disabled', async (t) => {
    const world = await openWorld(t, kind);
    const carrier = await openCarrier(world);
    const engine = world.engine('one');
    await carrier.say('connecting', 'connect ECONNREFUSED');
    assert.deepEqual(await toldAfter(world, engine, 4), []);
    await carrier.crash();
    assert.deepEqual(await toldAfter(world, engine, 1), ['carrier.down: Carrier Operator has no link']);
    assert.match(detail(world) ?? '', /ECONNREFUSED/);
    await world.application.messaging.manageCarriers.setEnabled('test', carrier.id, false);
    assert.deepEqual(await toldAfter(world, engine, 1), [
      'carrier.down.resolved: Carrier Operator is not down any more',
    ]);
  });

  test('a server that starts tells nothing of carriers that it has yet to bind', async (t) => {
    const world = await openWorld(t, kind);
    const carrier = await openCarrier(world);
    await carrier.say('connecting');
    await carrier.crash();
    world.clock.advance(60 * minute);
    const engine = world.engine('one');
    assert.deepEqual(await toldAfter(world, engine, 0), []);
    assert.deepEqual(await toldAfter(world, engine, 5), ['carrier.down: Carrier Operator has no link']);
  });
});
