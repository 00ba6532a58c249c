import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertValues } from '../database/insert-values.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { newId } from '../runtime/clock.ts';
import { never } from '../runtime/wait.ts';
import { day, openWorld, told, tools, type World } from './alerts-world.testing.ts';

/** Looks, and sends what waits, at a time of the story. */
async function step(world: World, engine: ReturnType<World['engine']>, days: number): Promise<void> {
  world.clock.advance(world.start + days * day - world.clock.now());
  await engine.beat();
  await engine.look();
  await engine.deliver(never);
}

const operators = { organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] } as const;

onBothDatabases('alerts', (_open, kind) => {
  test('a server that fetches nothing is behind until it does, however often its certificate is renewed', async (t) => {
    const world = await openWorld(t, kind);
    const { application, start } = world;
    const { importLeaf, deploy, fetch } = tools(world);
    const acme = (await application.organizations.create('test', 'Acme')).id;
    await application.alerts.channels.create('test', operators);
    const shop = await importLeaf(acme, 'shop', start + 300 * day);
    const web = await deploy(shop.id, 'web');
    const engine = world.engine('one');
    await step(world, engine, 2);
    await importLeaf(acme, 'shop', start + 310 * day, shop.id);
    await step(world, engine, 2.5);
    await step(world, engine, 4);
    const { version } = await importLeaf(acme, 'shop', start + 320 * day, shop.id);
    await step(world, engine, 4.1);
    await fetch(acme, web, version);
    await step(world, engine, 4.2);
    const types = told(world, 'email').map((line) => line.replace(/:.*/, ''));
    assert.deepEqual(types, [
      '2 deployment.outdated',
      '4 deployment.outdated',
      '4.2 certificate.rollout-complete',
      '4.2 deployment.outdated.resolved',
    ]);
  });

  test('a thousand expired certificates of one organization hide nothing of another', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock, start } = world;
    const { database } = application;
    const { importLeaf } = tools(world);
    const acme = (await application.organizations.create('test', 'Acme')).id;
    const other = (await application.organizations.create('test', 'Other')).id;
    await application.alerts.channels.create('test', { ...operators, organizationId: other });
    const { id } = await importLeaf(acme, 'old', start + day);
    const { db } = database;
    const certificate = await db
      .selectFrom('certificate')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const version = await db
      .selectFrom('certificate_version')
      .selectAll()
      .where('certificate_id', '=', id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 1_001 }, () => [newId(clock.now()), newId(clock.now())] as const);
    const certificates = copies.map(([copy, current_version]) => ({ ...certificate, id: copy, current_version }));
    const versions = copies.map(([copy, current]) => ({ ...version, certificate_id: copy, id: current }));
    await insertValues(database, db, 'certificate', certificates);
    await insertValues(database, db, 'certificate_version', versions);
    await importLeaf(other, 'live', start + 40 * day);
    await step(world, world.engine('one'), 39.5);
    assert.deepEqual(told(world, 'email'), [
      '39.5 certificate.expiring: Certificate live.example expires in 1 day',
    ]);
  });
});
