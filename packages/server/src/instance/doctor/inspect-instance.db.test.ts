import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { applicationOn } from '../../cli/application.testing.ts';
import type { Application } from '../../compose.ts';
import { DatabaseUnavailable } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { newId, systemClock } from '../../runtime/clock.ts';
import { assertTold } from './doctor-check.testing.ts';
import type { Check } from './doctor-check.ts';
import { inspectInstance } from './inspect-instance.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const ca = makeTrialCa({ now: Date.now() });

async function inspected(application: Application, aheadMs = 0): Promise<readonly Check[]> {
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const checks = await inspectInstance({ ...application, clock });
  assertTold(checks);
  return checks;
}

/** What is not in order, but for the key that lies beside the database, and that nobody is told. */
const poor = (checks: readonly Check[]) =>
  checks.flatMap(({ state, code }) =>
    state === 'ok' || code === 'master_key_beside_database' || code === 'alert_channel_missing'
      ? []
      : [`${state} ${code}`],
  );

async function importLeaf({ certificates }: Application, organizationId: string, name: string, notAfter: number) {
  const leaf = ca.issue({ domains: [`${name}.example`], notAfter });
  const files = [
    { name: 'chain.pem', bytes: Buffer.from(leaf.chainPem) },
    { name: 'key.pem', bytes: Buffer.from(leaf.keyPem) },
  ];
  return (await certificates.import('test', { organizationId, files, separate: true })).id;
}

onBothDatabases('the doctor', (_open, kind) => {
  test('fails for an expired certificate that servers fetch, and warns of one that none does', async (t) => {
    const application = await (await applicationOn(t, kind))();
    const { id: organizationId } = await application.organizations.create('test', 'Acme');
    const end = Date.now() + dayMs;
    await importLeaf(application, organizationId, 'unused', end);
    const certificateId = await importLeaf(application, organizationId, 'fetched', end);
    const allow = ['192.0.2.1'];
    const { deployment } = await application.deployments.create('test', { certificateId, name: 'web', allow });
    const expiry = async () => {
      // The day has passed for the doctor, and on PostgreSQL for nobody else.
      const checks = await inspected(application, dayMs + 1_000);
      return checks.filter(({ name }) => name === 'certificates').map(({ state, message }) => [state, message]);
    };
    const [fetched, unused] = await expiry();
    assert.equal(fetched?.[0], 'fail');
    assert.match(fetched?.[1] ?? '', /handed out to servers all the same \(1\): fetched\.example /);
    assert.equal(unused?.[0], 'warn');
    assert.match(unused?.[1] ?? '', /^Expired \(1\): unused\.example /);
    await application.deployments.update('test', deployment.id, { enabled: false });
    const switchedOff = await expiry();
    assert.deepEqual(
      switchedOff.map(([state]) => state),
      ['warn'],
    );
  });

  test('tells of a clock that was set back, and of one that is not the database’s', async (t) => {
    const application = await (await applicationOn(t, kind))();
    await application.organizations.create('test', 'Acme');
    assert.deepEqual(poor(await inspected(application)), []);
    const apart = kind === 'postgres' ? ['fail clock_apart'] : [];
    assert.deepEqual(poor(await inspected(application, -hourMs)), [...apart, 'warn clock_set_back']);
    assert.deepEqual(poor(await inspected(application, hourMs)), apart);
    const little = kind === 'postgres' ? ['warn clock_apart'] : [];
    assert.deepEqual(poor(await inspected(application, -30_000)), [...little, 'warn clock_set_back']);
    // What is recorded after the clock was set back hides nothing.
    const { db } = application.database;
    await db
      .updateTable('audit_link')
      .set({ at: Date.now() + dayMs })
      .where('link', '=', 1)
      .execute();
    await application.organizations.create('test', 'Later');
    const latest = (await inspected(application)).find(({ code }) => code === 'clock_set_back');
    assert.match(latest?.message ?? '', /is later than now: this clock was set back/);
  });

  test('warns of receivers that do not answer, and of pushes that were given up', async (t) => {
    const open = await applicationOn(t, kind, { WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8' });
    const application = await open();
    const { database, messaging } = application;
    const { id: organizationId } = await application.organizations.create('test', 'Acme');
    const url = 'http://127.0.0.1:9/pushes?secret=S3cret';
    const { setting } = await messaging.pushSettings.set('test', {
      organizationId,
      kind: 'status',
      url,
      enabled: true,
    });
    assert.deepEqual(poor(await inspected(application)), []);

    const engine = {
      laneStatus: () => ({ state: 'probing', running: 1, window: 1, silence: 12, next_at: null }) as const,
    };
    const probing = await inspected({ ...application, messaging: { ...messaging, engine } });
    assert.deepEqual(poor(probing), ['warn push_receivers_silent']);
    const told = probing.find(({ code }) => code === 'push_receivers_silent');
    assert.match(told?.message ?? '', /\(1\): status at 127\.0\.0\.1:9 \(/);
    assert.doesNotMatch(JSON.stringify(probing), /S3cret/);

    const now = Date.now();
    const common = { organization_id: organizationId, setting_id: setting.id, payload: '{}', attempts: 1 };
    const push = (since: number) => ({
      ...{ ...common, id: newId(since), shard: 0, due_at: now, queued_at: since, created_at: since },
      attempts_before: 0,
    });
    await database.db
      .insertInto('push')
      .values(push(now - 59 * 60_000))
      .execute();
    assert.deepEqual(poor(await inspected(application)), [], 'retries take their time');
    await database.db
      .insertInto('push')
      .values(push(now - hourMs - 1_000))
      .execute();
    const none = { at: null, ms: null, address: null, outcome: null, status: null, error: null, excerpt: null };
    const ended = (endedAt: number) =>
      ({ ...common, ...none, id: newId(endedAt), state: 'failed', created_at: 1, ended_at: endedAt }) as const;
    await database.db
      .insertInto('push_history')
      .values([ended(now - 2 * dayMs), ended(now - hourMs)])
      .execute();
    const checks = await inspected(application);
    assert.deepEqual(poor(checks), ['warn push_receivers_silent', 'warn pushes_failed']);
    assert.equal(checks.find(({ code }) => code === 'pushes_failed')?.parameters.count, 1);
  });

  test('says once that the database does not answer, and what it could not look at', async (t) => {
    const application = await (await applicationOn(t, kind))();
    const down = new DatabaseUnavailable('The database cannot be reached (ECONNREFUSED). See that it runs.');
    const database = { ...application.database, ping: () => Promise.reject(down) };
    const checks = await inspected({ ...application, database });
    assert.deepEqual(poor(checks), ['fail database_unreachable']);
    assert.equal(
      checks.at(-1)?.message,
      `${down.message} Not looked at: schema, sealed_secrets, audit_trail, certificates, issuing, deployments, clock, push_receivers, alerts.`,
    );
    assert.ok(checks.every(({ message }) => !message.endsWith('..')));
  });
});
