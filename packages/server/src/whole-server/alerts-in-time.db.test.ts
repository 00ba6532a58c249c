import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FactSource } from '../alerts/rules/fact-source.ts';
import { evaluateAlerts } from '../alerts/telling/evaluate-alerts.ts';
import { onBothDatabases } from '../database/testing.ts';
import { noteBackup } from '../instance/last-backup.ts';
import { newId } from '../runtime/clock.ts';
import { never } from '../runtime/wait.ts';
import { day, hour, minute, openWorld, told, tools, webhook } from './alerts-world.testing.ts';

onBothDatabases('alerts', (_open, kind) => {
  test('two servers tell in 40 days exactly what is expected, and nothing twice', { timeout: 600_000 }, async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock, own, deaf, start } = world;
    const { alerts, organizations, database } = application;
    const { importLeaf, deploy, fetch, pushSetting, attempted } = tools(world);
    const acme = (await organizations.create('test', 'Acme')).id;
    const other = (await organizations.create('test', 'Other')).id;
    const channels = {
      instance: await alerts.channels.create('test', {
        ...{ organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] },
      }),
      acme: await alerts.channels.create('test', { organizationId: acme, kind: 'webhook', name: 'acme', url: webhook }),
    };
    clock.advance(hour);

    const shop = await importLeaf(acme, 'shop', start + 34 * day + 2 * hour);
    const web = await deploy(shop.id, 'web');
    const soon = await importLeaf(acme, 'soon', start + 10 * day + 2 * hour);
    await importLeaf(other, 'other', start + 20 * day + 2 * hour);
    const long = await importLeaf(acme, 'long', start + 300 * day);
    const db = await deploy(long.id, 'db');
    const setting = await pushSetting(acme);
    let renewed: typeof shop | undefined;

    const servers = ['one', 'two'];
    let isAlone = false;
    /** What happens on a day, before the look of that time. */
    const events: Readonly<Record<number, () => Promise<unknown> | unknown>> = {
      0.25: () => fetch(acme, web, shop.version),
      5: () => importLeaf(acme, 'soon', start + 200 * day, soon.id),
      // Its mails wait for a day and a half: those of the first day are given up, later ones go out.
      6: () => deaf.add('email'),
      7.5: () => deaf.delete('email'),
      12: () => attempted(acme, setting, 0),
      12.25: () => attempted(acme, setting, 0),
      14: () => attempted(acme, setting, 1),
      20: () => organizations.setSuspended('test', other, true),
      // The one with the lease dies, without a word, and comes back.
      22: async () => {
        isAlone = true;
        await database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'one').execute();
      },
      25: () => fetch(acme, db, long.version),
      26: () => {
        isAlone = false;
      },
      30: () => own.set('two', [{ kind: 'disk', server: 'two', host: 'two', freeBytes: 5, bytes: 100 }]),
      31.5: () => own.set('two', [{ kind: 'disk', server: 'two', host: 'two', freeBytes: 50, bytes: 100 }]),
      36: () => own.set('one', [{ kind: 'clock', server: 'one', host: 'one', aheadMs: 60_000 }]),
      38: async () => {
        renewed = await importLeaf(acme, 'shop', start + 300 * day, shop.id);
      },
      39.5: () => fetch(acme, web, renewed?.version ?? ''),
    };

    let engines = servers.map((server) => world.engine(server));
    for (let step = 1; step <= 160; step += 1) {
      clock.advance(start + step * 6 * hour - clock.now());
      if (Number.isInteger(world.day()) && (world.day() <= 16 || world.day() >= 20)) {
        await noteBackup(database.db, clock.now());
      }
      await events[step / 4]?.();
      // Nothing is kept in memory: every few days both start anew.
      if (step % 12 === 0) engines = servers.map((server) => world.engine(server));
      const running = isAlone ? engines.slice(1) : engines;
      for (const engine of running) await engine.beat();
      await Promise.all(running.map((engine) => engine.look()));
      // In between they are killed: what was decided waits in the database.
      if (step % 3 !== 0) continue;
      await Promise.all(running.map((engine) => engine.deliver(never)));
    }
    for (const engine of engines) {
      await engine.beat();
      await engine.deliver(never);
    }

    const days = await database.db.selectFrom('alert').selectAll().orderBy('id').execute();
    const listed = days
      .map(({ at, type, organization_id, about_id }) => {
        const about = { [shop.id]: 'shop', [soon.id]: 'soon', [long.id]: 'long', [web]: 'web', [db]: 'db' }[about_id];
        const owner = organization_id === '' ? 'instance' : organization_id === acme ? 'acme' : 'other';
        return `${(at - start) / day} ${owner} ${type} ${about ?? (about_id === setting ? 'push' : '')}`.trim();
      })
      .sort((one, next) => Number.parseFloat(one) - Number.parseFloat(next) || (one < next ? -1 : 1));
    assert.deepEqual(listed, [
      '0.25 acme certificate.expiring soon',
      '0.25 acme certificate.rollout-complete shop',
      '0.25 other certificate.expiring',
      '1.25 acme deployment.outdated db',
      '2.25 acme deployment.outdated db',
      '3.25 acme certificate.expiring soon',
      '4.25 acme certificate.expiring shop',
      '4.25 acme deployment.outdated db',
      '5 acme certificate.expiring.resolved soon',
      '6.25 other certificate.expiring',
      '8.25 acme deployment.outdated db',
      '12.25 acme push.failing push',
      '13.25 acme push.failing push',
      '13.25 other certificate.expiring',
      '14 acme push.failing.resolved push',
      '15.25 acme deployment.outdated db',
      '17.25 other certificate.expiring',
      '17.75 instance instance.backup',
      '18.75 instance instance.backup',
      '19.25 other certificate.expiring',
      '20 instance instance.backup.resolved',
      '20.25 acme certificate.expiring shop',
      '22.25 acme deployment.outdated db',
      '25 acme certificate.rollout-complete long',
      '25 acme deployment.outdated.resolved db',
      '27.25 acme certificate.expiring shop',
      '30 instance instance.disk',
      '31 instance instance.disk',
      '31.25 acme certificate.expiring shop',
      '31.5 instance instance.disk.resolved',
      '33.25 acme certificate.expiring shop',
      '34.25 acme certificate.expiring shop',
      '35.25 acme certificate.expiring shop',
      '36 instance instance.clock',
      '37 instance instance.clock',
      '37.25 acme certificate.expiring shop',
      '38 acme certificate.expiring.resolved shop',
      '39 acme deployment.outdated web',
      '39 instance instance.clock',
      '39.5 acme certificate.rollout-complete shop',
      '39.5 acme deployment.outdated.resolved web',
    ]);

    const deliveries = await database.db.selectFrom('alert_delivery').selectAll().execute();
    const ofChannel = (id: string) => deliveries.filter(({ channel_id }) => channel_id === id);
    // What waited for more than a day while mails were not accepted was given up.
    const failed = deliveries.filter(({ state }) => state !== 'sent');
    assert.deepEqual(
      failed.map(({ state, last_error }) => [state, last_error]),
      [['failed', 'Not now.']],
    );
    assert.equal(ofChannel(channels.acme.channel.id).length, listed.filter((line) => / acme /.test(line)).length);
    assert.equal(ofChannel(channels.instance.channel.id).length, listed.filter((line) => !/ acme /.test(line)).length);
    const ids = (of: string) =>
      world.sent.filter((each) => each.kind === of).flatMap(({ notices }) => notices.map(({ id }) => id));
    assert.equal(new Set(ids('webhook')).size, ids('webhook').length, 'no alert was sent twice');
    assert.deepEqual(
      ids('webhook').sort(),
      ofChannel(channels.acme.channel.id)
        .map(({ alert_id }) => alert_id)
        .sort(),
    );
    assert.deepEqual(
      ids('email').sort(),
      ofChannel(channels.instance.channel.id)
        .filter(({ state }) => state === 'sent')
        .map(({ alert_id }) => alert_id)
        .sort(),
    );
    assert.ok(world.sent.every((each) => each.kind !== 'webhook' || each.notices.length === 1));
    const words = JSON.stringify(world.sent);
    assert.doesNotMatch(words, /S3cret|\/pushes/);
    assert.ok(told(world, 'webhook').some((line) => line.endsWith('Certificate shop.example expires in 30 days')));
    assert.ok(told(world, 'webhook').some((line) => line.endsWith('Status pushes to 127.0.0.1:9 are failing')));
  });

  test('what two servers decide at the same time is told once, and by one without its lease not at all', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock } = world;
    const { database } = application;
    await application.alerts.channels.create('test', {
      ...{ organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] },
    });
    await database.db.insertInto('lease').values({ name: 'alerts/1', holder: 'one', epoch: 3, until: 0 }).execute();
    const limits = { pushFailingMs: minute, carrierDownMs: 300_000, notFetchedMs: minute, backupAgeMs: hour };
    const needs = { ...application, limits, log: { warn: () => {} } };
    clock.advance(day);
    const shared = world.sources('one').filter(({ ofServer }) => ofServer === undefined);
    const look = (epoch: number) => evaluateAlerts(needs, shared, { name: 'alerts/1', epoch });
    assert.deepEqual(await Promise.all([look(2), look(1)]), [0, 0]);
    const both = await Promise.all([look(3), look(3), look(3)]);
    assert.equal(
      both.reduce((sum, count) => sum + count, 0),
      1,
    );
    assert.equal((await database.db.selectFrom('alert').selectAll().execute()).length, 1);
  });

  test('a source that fails leaves what it told as it is, and the others go on', async (t) => {
    const world = await openWorld(t, kind);
    const { application } = world;
    await application.alerts.channels.create('test', {
      ...{ organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] },
    });
    const faults: unknown[] = [];
    const limits = { pushFailingMs: minute, carrierDownMs: 300_000, notFetchedMs: minute, backupAgeMs: undefined };
    const needs = { ...application, limits, log: { warn: (fields: unknown) => faults.push(fields) } };
    let isBroken = false;
    const disk: FactSource = {
      decides: ['instance.disk'],
      async read() {
        if (isBroken) throw new Error('no such disk');
        return [{ kind: 'disk', server: 's', host: 's', freeBytes: 1, bytes: 100 }];
      },
    };
    const clockSource: FactSource = {
      decides: ['instance.clock'],
      read: async () => (isBroken ? [{ kind: 'clock', server: 's', host: 's', aheadMs: day }] : []),
    };
    assert.equal(await evaluateAlerts(needs, [disk, clockSource]), 1);
    isBroken = true;
    assert.equal(await evaluateAlerts(needs, [disk, clockSource]), 1);
    assert.equal(faults.length, 1);
    isBroken = false;
    assert.equal(
      await evaluateAlerts(needs, [disk, clockSource]),
      1,
      'the clock is right again; the disk is as it was',
    );
    const alerts = await application.database.db.selectFrom('alert').select('type').execute();
    assert.deepEqual(alerts.map(({ type }) => type).sort(), [
      'instance.clock',
      'instance.clock.resolved',
      'instance.disk',
    ]);
  });

  test('a channel that accepts nothing is tried with growing waits for a day, and told of what is new at once', async (t) => {
    const world = await openWorld(t, kind);
    const { application, clock, own, deaf } = world;
    const { database, alerts } = application;
    const { channel } = await alerts.channels.create('test', {
      ...{ organizationId: '', kind: 'email', name: 'operators', to: ['ops@example.com'] },
    });
    own.set('one', [{ kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 }]);
    deaf.add('email');
    const engine = world.engine('one');
    await engine.beat();
    await engine.look();
    // A look before each moment at which it is tried, and one at it.
    const attempts: number[] = [];
    let minutes = 0;
    const begins = [0, 0.5, 2.5, 12.5, 42.5, 102.5, 162.5, 1_422.5];
    for (const moment of begins.flatMap((each) => (each === 0 ? [0] : [each - 0.1, each]))) {
      clock.advance((moment - minutes) * minute);
      minutes = moment;
      await engine.beat();
      if ((await engine.deliver(never)) > 0) attempts.push(moment);
    }
    assert.deepEqual(attempts, begins.toSpliced(-1, 1, 1_422.4));
    const rows = () => database.db.selectFrom('alert_delivery').selectAll().orderBy('alert_id').execute();
    const [first] = await rows();
    assert.equal(first?.state, 'waiting');
    assert.equal((await alerts.channels.show(channel.id)).last_error, 'Not now.');
    own.set('one', [
      { kind: 'disk', server: 'one', host: 'one', freeBytes: 1, bytes: 100 },
      { kind: 'clock', server: 'one', host: 'one', aheadMs: day },
    ]);
    await engine.beat();
    await engine.look();
    assert.equal(await engine.deliver(never), 1, 'at once, although the channel waits');
    clock.advance(hour);
    await engine.beat();
    assert.equal(await engine.deliver(never), 1, 'the first one, which is given up after a day');
    assert.equal((await rows())[0]?.state, 'failed');
    deaf.delete('email');
    clock.advance(hour);
    await engine.beat();
    await engine.deliver(never);
    const ended = await rows();
    assert.deepEqual(
      ended.map(({ state, last_error }) => [state, last_error]),
      [
        ['failed', 'Not now.'],
        ['sent', null],
      ],
    );
    assert.equal((await alerts.channels.show(channel.id)).last_error, null);
  });

  test('what is old is forgotten, with whom it was sent to', async (t) => {
    const world = await openWorld(t, kind);
    const { database } = world.application;
    const { forgetAlerts } = await import('../alerts/telling/alert-store.ts');
    const at = world.clock.now();
    for (const told of [at - 91 * day, at - 89 * day]) {
      const id = newId(told);
      const about = { organization_id: '', type: 'instance.disk', about_id: 's', notice: 'instance_disk' };
      await database.db
        .insertInto('alert')
        .values({ id, ...about, parameters: '{}', at: told })
        .execute();
      await database.db
        .insertInto('alert_delivery')
        .values({
          ...{ alert_id: id, channel_id: 'c', organization_id: '', digest_id: id, kind: 'email', channel: 'c' },
          ...{
            channel_organization_id: '',
            destination: 'd',
            state: 'sent',
            attempts: 1,
            tried_at: told,
            ended_at: told,
            last_error: null,
          },
        })
        .execute();
    }
    const { firstIdAt } = await import('../runtime/clock.ts');
    await forgetAlerts(database, firstIdAt(at - 90 * day), never);
    assert.equal((await database.db.selectFrom('alert').selectAll().execute()).length, 1);
    assert.equal((await database.db.selectFrom('alert_delivery').selectAll().execute()).length, 1);
  });
});
