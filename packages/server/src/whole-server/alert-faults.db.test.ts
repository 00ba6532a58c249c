import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listToldAlerts } from '../alerts/list-alerts.ts';
import { refused } from '../alerts/senders/notice.ts';
import type { SendNotices } from '../alerts/senders/send-notice.ts';
import { evaluateAlerts } from '../alerts/telling/evaluate-alerts.ts';
import { runningServers } from '../compose-alerts.ts';
import { insertValues } from '../database/insert-values.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { inspectAlerts } from '../instance/doctor/inspect-alerts.ts';
import { putNode } from '../instance/instance-store.ts';
import { newId } from '../runtime/clock.ts';
import { never, unlessAborted } from '../runtime/wait.ts';
import { day, openWorld, told, tools, type World, webhook } from './alerts-world.testing.ts';

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
    assert.deepEqual(types.filter((line) => !line.endsWith('backup')).sort(), [
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
    const certificate = await db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
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
    assert.deepEqual(told(world, 'email'), ['39.5 certificate.expiring: Certificate live.example expires in 1 day']);
  });

  test('a big look is written in portions, each whole', async (t) => {
    const world = await openWorld(t, kind);
    const { application } = world;
    const { database } = application;
    await application.alerts.channels.create('test', operators);
    const servers = Array.from({ length: 250 }, (_, index) => `s${index}`);
    const disks = servers.map((server) => ({ kind: 'disk' as const, server, host: server, freeBytes: 1, bytes: 100 }));
    let facts: typeof disks = disks;
    const source = { decides: ['instance.disk'], read: async () => facts } as const;
    const limits = { pushFailingMs: day, carrierDownMs: 300_000, notFetchedMs: day, backupAgeMs: undefined };
    let writes = 0;
    const feed: typeof application.feed = {
      ...application.feed,
      write: (work) => {
        writes += 1;
        return application.feed.write(work);
      },
    };
    const look = () => evaluateAlerts({ ...application, feed, limits, log: { warn: () => assert.fail() } }, [source]);
    assert.deepEqual([await look(), await look()], [250, 0]);
    assert.equal(writes, 3);
    const rows = await database.db.selectFrom('alert_delivery').selectAll().execute();
    const digests = Map.groupBy(rows, ({ digest_id }) => digest_id);
    assert.deepEqual([...digests.values()].map(({ length }) => length).sort(), [100, 100, 50]);
    facts = disks.slice(0, 50);
    assert.equal(await look(), 200);
    assert.equal((await database.db.selectFrom('alert_condition').selectAll().execute()).length, 50);
  });

  test('a look ends with the stop of the server, however long a source takes, and complains of nothing', async (t) => {
    const { application } = await openWorld(t, kind);
    const stop = new AbortController();
    const reason = new Error('stopping');
    const source = { decides: ['instance.disk'], read: () => new Promise<never>(() => {}) } as const;
    const limits = { pushFailingMs: day, carrierDownMs: 300_000, notFetchedMs: day, backupAgeMs: undefined };
    const needs = { ...application, limits, log: { warn: () => assert.fail('a stop is no fault') } };
    const look = evaluateAlerts(needs, [source], undefined, stop.signal);
    stop.abort(reason);
    await assert.rejects(look, reason);
  });

  test('slow receivers of one organization do not hold up the operators', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock, start } = world;
    const { importLeaf } = tools(world);
    const acme = (await application.organizations.create('test', 'Acme')).id;
    for (let index = 0; index < 6; index += 1) {
      const request = { organizationId: acme, kind: 'webhook', name: `slow${index}`, url: webhook } as const;
      await application.alerts.channels.create('test', request);
    }
    await application.alerts.channels.create('test', operators);
    for (const name of ['one', 'two', 'three']) await importLeaf(acme, name, start + 10 * day);
    world.own.set('one', [{ kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 }]);
    const mailed = Promise.withResolvers<void>();
    let atOnce = 0;
    let most = 0;
    const send: SendNotices = async (target) => {
      if (target.kind === 'email') mailed.resolve();
      else {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await mailed.promise;
        atOnce -= 1;
      }
      return { kind: 'sent' };
    };
    const engine = world.engine('one', { send });
    await step(world, engine, 1);
    assert.ok(most <= 4, `${most}`);
    const rows = await application.database.db.selectFrom('alert_delivery').select('state').execute();
    assert.deepEqual([rows.length, rows.every(({ state }) => state === 'sent')], [19, true]);
    assert.ok(clock.now() > start);
  });

  test('only looks rest after what took long', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock } = world;
    await application.alerts.channels.create('test', operators);
    world.own.set('one', [{ kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 }]);
    const stop = new AbortController();
    const looked = Promise.withResolvers<void>();
    let sent = false;
    let resting = 0;
    const waits: number[] = [];
    const engine = world.engine('one', {
      // Each of the four loops ends in a wait. Those that send and renew the lease go round until something was sent.
      wait: async (ms, signal) => {
        waits.push(ms);
        if (ms === 90_000) looked.resolve();
        if (!sent && ms <= 2_500) return new Promise((resolve) => setImmediate(resolve));
        resting += 1;
        if (resting === 4) stop.abort();
        else await unlessAborted(new Promise(() => {}), signal).catch(() => {});
      },
      send: async () => {
        // The clock is one for all: it moves on for the look alone, and for the sending alone.
        await looked.promise;
        clock.advance(20_000);
        sent = true;
        return refused('timed out');
      },
      sources: [
        {
          decides: ['instance.disk'],
          ofServer: 'one',
          async read() {
            clock.advance(10_000);
            return world.own.get('one') ?? [];
          },
        },
      ],
      log: { info() {}, warn() {} },
    });
    await engine.worker.run(stop.signal);
    assert.ok(waits.includes(90_000) && !waits.includes(180_000), waits.join());
  });

  test('a stop ends the worker while a look still reads', async (t) => {
    const world = await openWorld(t, kind);
    const stop = new AbortController();
    const engine = world.engine('one', {
      sources: [
        {
          decides: ['instance.disk'],
          ofServer: 'one',
          read() {
            stop.abort();
            return new Promise(() => {});
          },
        },
      ],
      log: { info() {}, warn: (...words: unknown[]) => assert.fail(String(words)) },
    });
    await engine.worker.run(stop.signal);
  });

  test('an organization sees of the channels of the instance only whether they have it', async (t) => {
    const world = await openWorld(t, kind);
    const { application, start } = world;
    const { database, alerts } = application;
    const acme = (await application.organizations.create('test', 'Acme')).id;
    await alerts.channels.create('test', operators);
    const { channel } = await alerts.channels.create('test', { ...operators, name: 'second' });
    await tools(world).importLeaf(acme, 'shop', start + 10 * day);
    await step(world, world.engine('one'), 1);
    await alerts.channels.delete('test', channel.id);
    const part = { take: 1, after: undefined };
    const [alert] = await listToldAlerts(database, acme, part);
    assert.deepEqual(alert?.deliveries, [
      {
        ...{ channel_id: null, channel: 'the operators of the instance', kind: null, to: '', state: 'sent' },
        ...{ attempts: 0, due_at: null, ended_at: null, last_error: null },
      },
    ]);
    const [everywhere] = await listToldAlerts(database, undefined, part);
    assert.deepEqual(
      everywhere?.deliveries.map(({ to }) => to),
      ['ops@example.com', 'ops@example.com'],
    );
  });

  test('the end of something goes to the channels that heard of it; what nobody heard of is listed', async (t) => {
    const world = await openWorld(t, kind);
    const { application, own } = world;
    const { alerts, database } = application;
    const engine = world.engine('one');
    const disk = { kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 } as const;
    const deliveries = async () =>
      (await listToldAlerts(database, '', { take: 10, after: undefined })).map(
        ({ type, deliveries: all }) => `${type} ${all.map(({ channel }) => channel).join()}`,
      );
    own.set('one', [disk]);
    await step(world, engine, 1);
    own.set('one', []);
    await step(world, engine, 1.1);
    assert.deepEqual(await deliveries(), ['instance.disk.resolved ', 'instance.disk ']);
    await alerts.channels.create('test', operators);
    own.set('one', [disk]);
    await step(world, engine, 1.2);
    await alerts.channels.create('test', { ...operators, name: 'later' });
    own.set('one', []);
    await step(world, engine, 1.3);
    assert.deepEqual((await deliveries()).slice(0, 2), ['instance.disk.resolved operators', 'instance.disk operators']);
  });

  test('a rollout is told once for its version, however late, and whatever is deployed later', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock, start } = world;
    const { importLeaf, deploy, fetch } = tools(world);
    const acme = (await application.organizations.create('test', 'Acme')).id;
    await application.alerts.channels.create('test', operators);
    clock.advance(1_000);
    const shop = await importLeaf(acme, 'shop', start + 300 * day);
    const [web, laggard] = [await deploy(shop.id, 'web'), await deploy(shop.id, 'laggard')];
    const engine = world.engine('one');
    await fetch(acme, web, shop.version);
    await step(world, engine, 0.5);
    await application.deployments.update('test', laggard, { enabled: false });
    await step(world, engine, 20);
    await engine.keepHouse(never);
    const db = await deploy(shop.id, 'db');
    await fetch(acme, db, shop.version);
    await step(world, engine, 40);
    await engine.keepHouse(never);
    await step(world, engine, 41);
    assert.equal(told(world, 'email').filter((line) => line.includes('rollout-complete')).length, 1);
    const { db: rows } = application.database;
    const marks = await rows.selectFrom('alert_condition').select('mark').where('mark', '!=', '').execute();
    assert.deepEqual(marks, [{ mark: shop.version }]);
  });

  test('an attempt at a former URL does not count, and a disabled channel gets nothing', async (t) => {
    const world = await openWorld(t, kind);
    const { application } = world;
    const { alerts, database } = application;
    const { channel } = await alerts.channels.create('test', {
      ...{ organizationId: '', kind: 'webhook', name: 'pager', url: webhook },
    });
    world.own.set('one', [{ kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 }]);
    const urls: string[] = [];
    const send: SendNotices = async ({ url }) => {
      urls.push(url?.reveal() ?? '');
      world.clock.advance(1);
      if (urls.length === 1) await alerts.channels.update('test', channel.id, { url: `${webhook}/new` });
      return { kind: 'sent' };
    };
    const engine = world.engine('one', { send });
    await step(world, engine, 1);
    assert.deepEqual(urls, [webhook, `${webhook}/new`]);

    // As by a look that wrote while the channel was disabled.
    await alerts.channels.update('test', channel.id, { enabled: false });
    await database.db.updateTable('alert_delivery').set({ state: 'waiting', ended_at: null }).execute();
    assert.equal(await engine.deliver(never), 0);
    await engine.keepHouse(never);
    const [row] = await database.db.selectFrom('alert_delivery').selectAll().execute();
    assert.deepEqual([row?.state, row?.last_error], ['failed', 'The channel was disabled or deleted.']);
  });

  test('what has waited for more than a day is not sent, and the rest of a message goes with the next', async (t) => {
    const world = await openWorld(t, kind);
    const { application, own } = world;
    const { alerts, database } = application;
    await alerts.channels.create('test', { organizationId: '', kind: 'wecom', name: 'robot', url: webhook });
    const disk = (server: string) => ({ kind: 'disk', server: 'one', host: server, freeBytes: 1, bytes: 100 }) as const;
    const clockOff = { kind: 'clock', server: 'one', host: 'one', aheadMs: day } as const;
    const messages: (readonly string[])[] = [];
    const ids = new Set<string>();
    const send: SendNotices = async (_target, notices, id) => {
      messages.push(notices.map(({ type }) => type));
      ids.add(id);
      return { kind: 'sent', count: 1 };
    };
    const engine = world.engine('one', { send });
    own.set('one', [disk('one'), clockOff]);
    await step(world, engine, 1);
    assert.deepEqual(
      messages.map(({ length }) => length),
      [2, 1],
    );
    assert.notEqual(messages[0]?.[0], messages[1]?.[0]);
    assert.equal(ids.size, 2);
    await database.db.updateTable('alert_delivery').set({ state: 'waiting', ended_at: null }).execute();
    world.clock.advance(25 * 3_600_000);
    await engine.beat();
    assert.equal(await engine.deliver(never), 0);
    const rows = await database.db.selectFrom('alert_delivery').select(['state', 'last_error']).execute();
    assert.deepEqual(rows[0], { state: 'failed', last_error: 'It waited for more than a day.' });
  });

  test('what a module told that was switched off is forgotten', async (t) => {
    const world = await openWorld(t, kind);
    const { application, start } = world;
    const { database } = application;
    const acme = (await application.organizations.create('test', 'Acme')).id;
    await tools(world).importLeaf(acme, 'shop', start + 10 * day);
    const engine = world.engine('one', { sources: world.sources('one').slice(0, 1) });
    await step(world, engine, 1);
    const count = async () => (await database.db.selectFrom('alert_condition').selectAll().execute()).length;
    assert.equal(await count(), 1);
    const without = world.engine('one', { sources: world.sources('one').slice(1) });
    await without.beat();
    await without.keepHouse(never);
    assert.equal(await count(), 0);
  });

  test('what was told of a server ends when the server has left', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock } = world;
    const { database } = application;
    const servers = ['gone', 'here'].map((host) => ({ host, server: `${host}-0a1b2c3d` }));
    const limits = { pushFailingMs: day, carrierDownMs: 300_000, notFetchedMs: day, backupAgeMs: undefined };
    const needs = { ...application, limits, log: { warn: () => assert.fail() } };
    for (const each of servers) {
      const disk = { kind: 'disk', ...each, freeBytes: 1, bytes: 100 } as const;
      await evaluateAlerts(needs, [{ decides: ['instance.disk'], ofServer: each.server, read: async () => [disk] }]);
    }
    const running = runningServers(database, clock);
    const row = { version: '1', started_at: 1, key_ids: '[]', recent_messages: 0, recent_retrievals: 0 };
    const seen = async () => {
      await putNode(database.db, { id: 'here-0a1b2c3d.99999999', seen_at: clock.now(), ...row });
      return evaluateAlerts(needs, [running]);
    };
    assert.equal(await seen(), 0, 'it may be about to start again');
    clock.advance(11 * 60_000);
    assert.equal(await seen(), 1);
    const [alert] = await listToldAlerts(database, '', { take: 1, after: undefined });
    assert.deepEqual([alert?.type, alert?.parameters], ['instance.disk.resolved', { server: 'gone' }]);
  });

  test('the doctor tells all that keeps alerts from arriving', async (t) => {
    const { application } = await openWorld(t, kind);
    const acme = (await application.organizations.create('test', 'Acme')).id;
    await application.alerts.channels.create('test', { ...operators, organizationId: acme });
    const codes = (await inspectAlerts(application)).map(({ code }) => code);
    assert.deepEqual(codes, ['alert_channel_missing', 'alert_mail_server_missing']);
  });
});
