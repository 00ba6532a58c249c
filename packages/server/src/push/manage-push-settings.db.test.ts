import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { TestSample } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Webhook } from 'standardwebhooks';
import { onBothDatabases } from '../database/testing.ts';
import { startTrialReceiver } from '../outbound/receiver.testing.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { newMasterKey, withCurrentKey } from '../secrets/key-ring.ts';
import {
  accept,
  openPushWorld,
  type PushWorld,
  pointTo,
  settingOf,
  settingsOf,
  statusOf,
} from './push-world.testing.ts';
import { sealedPushSecrets } from './settings/sealed-push-secrets.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onBothDatabases('push settings', (open) => {
  test('one is made with its URL, off and with the standard limits, and is audited without its query', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings } = world;
    const url = 'http://127.0.0.1:8099/status?token=hush';
    const { setting, secret } = await settings.set('operator:1', { organizationId, kind: 'status', url });
    assert.equal(secret, undefined);
    const at = new Date(world.clock.now()).toISOString();
    assert.deepEqual(setting, {
      id: setting.id,
      organization_id: organizationId,
      kind: 'status',
      url,
      enabled: false,
      timeout_seconds: 10,
      retries: 3,
      concurrency: 64,
      signed: false,
      former_secret_until: null,
      created_at: at,
      updated_at: at,
      switched_at: at,
    });
    assert.deepEqual(await settingOf(settings, organizationId, 'status'), setting);
    const [event] = await world.audit.list({ subject: setting.id, limit: 10 });
    assert.deepEqual([event?.actor, event?.action], ['operator:1', 'push-setting.create']);
    assert.deepEqual(JSON.parse(event?.detail ?? ''), { kind: 'status', url: 'http://127.0.0.1:8099/status?***' });
  });

  test('what is named changes, the rest stays', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings } = world;
    await pointTo(world, organizationId, 8099);
    const { setting } = await settings.set('test', { organizationId, kind: 'status', retries: 0, timeoutSeconds: 30 });
    assert.deepEqual(
      [setting.url, setting.enabled, setting.retries, setting.timeout_seconds, setting.concurrency],
      ['http://127.0.0.1:8099/status', true, 0, 30, 64],
    );
    const off = await settings.set('test', { organizationId, kind: 'status', enabled: false });
    assert.equal(off.setting.enabled, false);
    assert.deepEqual(
      (await settingsOf(settings, organizationId)).map(({ kind }) => kind),
      ['status'],
    );
  });

  test('only turning the switch moves the moment since when it is on or off', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings, clock } = world;
    await pointTo(world, organizationId, 8099);
    const change = async (what: { enabled?: boolean; retries?: number }) => {
      clock.advance(60_000);
      const { setting } = await settings.set('test', { organizationId, kind: 'status', ...what });
      return setting.switched_at;
    };
    const off = await change({ enabled: false });
    assert.equal(off, new Date(clock.now()).toISOString());
    assert.equal(await change({ retries: 1 }), off);
    assert.equal(await change({ enabled: false, retries: 2 }), off);
    assert.equal(await change({ enabled: true }), new Date(clock.now()).toISOString());
  });

  test('bad requests name the field, and store nothing', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings } = world;
    const url = 'http://127.0.0.1:8099/';
    const base = { organizationId, kind: 'status' } as const;
    const bad = [
      ['invalid_parameter', 'url', { ...base, url: 'http://localhost/' }],
      ['invalid_parameter', 'url', { ...base, url: 'http://10.0.0.1/' }],
      ['invalid_parameter', 'url', { ...base, url: 'http://unknown.example/' }],
      ['invalid_parameter', 'url', { ...base, url: `${url}?mobile=1` }],
      ['invalid_parameter', 'url', { ...base, enabled: true }],
      ['invalid_parameter', 'timeout', { ...base, url, timeoutSeconds: 0 }],
      ['invalid_parameter', 'timeout', { ...base, url, timeoutSeconds: 31 }],
      ['invalid_parameter', 'retries', { ...base, url, retries: 11 }],
      ['invalid_parameter', 'retries', { ...base, url, retries: 1.5 }],
      ['invalid_parameter', 'concurrency', { ...base, url, concurrency: 65 }],
      ['invalid_parameter', 'secret', { ...base, url, secret: new SecretText('whsec_short') }],
      ['not_found', 'organization', { ...base, organizationId: 'nobody', url }],
    ] as const;
    for (const [code, field, request] of bad) await assertRefused(settings.set('test', request), code, field);
    assert.deepEqual(await settingsOf(settings, organizationId), []);
    await assertRefused(settings.test('test', organizationId, 'uplink'), 'not_found', 'kind');
    await settings.set('test', { ...base, url });
    await assertRefused(settings.set('test', base), 'invalid_parameter', 'update');
  });

  test('pushes are signed as standardwebhooks verifies, by old and new secret for a day', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const { organizationId, settings } = world;
    await pointTo(world, organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    const change = async (secret: 'generate' | 'none') => {
      const made = await settings.set('test', { organizationId, kind: 'status', secret });
      return { ...made, text: made.secret?.reveal() ?? '' };
    };
    const push = async (after: number) => {
      await world.later(after, engine);
      await accept(world, statusOf(organizationId));
      await world.quiet(engine);
      return receiver.requests.at(-1) ?? '';
    };
    const first = await change('generate');
    assert.equal(first.setting.signed, true);
    assert.ok(verifies(first.text, await push(0)));
    const second = await change('generate');
    assert.equal(second.setting.former_secret_until, new Date(world.clock.now() + DAY).toISOString());
    const both = await push(DAY - 1);
    assert.ok(verifies(first.text, both) && verifies(second.text, both));
    const later = await push(1);
    assert.ok(!verifies(first.text, later) && verifies(second.text, later));
    assert.equal((await settingOf(settings, organizationId, 'status')).former_secret_until, null);
    await change('none');
    assert.doesNotMatch(await push(0), /webhook-signature/);
    const rows = await world.database.db.selectFrom('push_secret').selectAll().execute();
    assert.equal(rows.length, 0);
    const events = await world.audit.list({ subject: first.setting.id, limit: 100 });
    assert.ok(!JSON.stringify(events).includes(first.text.slice(6)));
  });

  test('a secret signs for a day after it was replaced, however soon the next one follows', async (t) => {
    const world = await openPushWorld(t, open);
    const [a, b, c] = [await give(world), await give(world, HOUR), await give(world, HOUR)];
    const { former_secret_until } = await settingOf(world.settings, world.organizationId, 'status');
    assert.equal(former_secret_until, new Date(world.clock.now() + DAY).toISOString());
    assert.deepEqual(await signers(world, a, b, c), [c, b, a]);
    world.clock.advance(DAY - HOUR - 1);
    assert.deepEqual(await signers(world, a, b, c), [c, b, a]);
    world.clock.advance(1);
    assert.deepEqual(await signers(world, a, b, c), [c, b]);
    world.clock.advance(HOUR);
    assert.deepEqual(await signers(world, a, b, c), [c]);
  });

  test('the current secret given again changes nothing: it signs once, and the former one as long as before', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings, clock } = world;
    const [a, b] = [await give(world), await give(world)];
    const { former_secret_until, id } = await settingOf(settings, organizationId, 'status');
    clock.advance(HOUR);
    const secret = new SecretText(b);
    const { setting } = await settings.set('test', { organizationId, kind: 'status', retries: 1, secret });
    assert.deepEqual([setting.former_secret_until, setting.retries], [former_secret_until, 1]);
    const [event] = await world.audit.list({ subject: id, limit: 1 });
    assert.deepEqual(JSON.parse(event?.detail ?? ''), { kind: 'status', retries: 1, secret: 'unchanged' });
    assert.deepEqual(await signers(world, a, b), [b, a]);
    clock.advance(DAY - HOUR);
    assert.deepEqual(await signers(world, a, b), [b]);
  });

  test('a former secret that becomes the current one again signs once, and on', async (t) => {
    const world = await openPushWorld(t, open);
    const [a, b, c] = [await give(world), await give(world), await give(world)];
    assert.equal(await give(world, HOUR, a), a);
    assert.deepEqual(await signers(world, a, b, c), [a, c, b]);
    world.clock.advance(DAY - HOUR);
    assert.deepEqual(await signers(world, a, b, c), [a, c]);
    world.clock.advance(HOUR);
    assert.deepEqual(await signers(world, a, b, c), [a]);
  });

  test('five former secrets sign, and one more is refused until the first of them ends or all are removed', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings, clock } = world;
    const given: string[] = [];
    for (let n = 0; n <= 5; n += 1) given.unshift(await give(world, HOUR));
    const until = new Date(clock.now() + DAY - 4 * HOUR).toISOString();
    for (const secret of ['generate', new SecretText(ownSecret())] as const) {
      await assert.rejects(settings.set('test', { organizationId, kind: 'status', retries: 1, secret }), (error) => {
        assert.ok(error instanceof Problem, String(error));
        assert.deepEqual([error.code, error.field, error.reason], ['conflict', 'secret', 'too_many_secrets']);
        assert.deepEqual(error.parameters, { most: 5, until });
        return true;
      });
    }
    assert.equal((await settingOf(settings, organizationId, 'status')).retries, 3);
    assert.deepEqual(await signers(world, ...given), given);
    // Neither of these makes them more.
    const [current = '', last = ''] = given;
    await give(world, 0, current);
    await give(world, 0, last);
    assert.deepEqual(await signers(world, ...given), [last, current, ...given.slice(2)]);
    const next = await give(world, Date.parse(until) - clock.now());
    assert.deepEqual(await signers(world, next, ...given), [next, last, current, ...given.slice(2, -1)]);
    await settings.set('test', { organizationId, kind: 'status', secret: 'none' });
    const alone = await give(world);
    assert.deepEqual(await signers(world, alone, next, ...given), [alone]);
  });

  test('a customer’s own secret is taken, sealed, and not shown', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings } = world;
    const secret = new SecretText(`whsec_${randomBytes(32).toString('base64')}`);
    const url = 'http://127.0.0.1:8099/';
    const made = await settings.set('test', { organizationId, kind: 'status', url, secret });
    assert.equal(made.secret, undefined);
    const [row] = await world.database.db.selectFrom('push_secret').selectAll().execute();
    assert.equal(row?.key_id, world.ring().current.id);
    assert.ok(!Buffer.from(row?.sealed ?? []).includes(secret.reveal()));
  });

  test('a secret belongs to one setting of an organization: what signs one proves nothing to the other', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, otherOrganizationId, settings } = world;
    const url = 'http://127.0.0.1:8099/';
    const secret = new SecretText(`whsec_${randomBytes(32).toString('base64')}`);
    await settings.set('test', { organizationId, kind: 'status', url, secret });
    const shared = { organizationId, kind: 'uplink', url, secret } as const;
    await assertRefused(settings.set('test', shared), 'invalid_parameter', 'secret');
    await settings.set('test', { organizationId, kind: 'status', secret: 'generate' });
    await assertRefused(settings.set('test', shared), 'invalid_parameter', 'secret');
    assert.equal((await settingsOf(settings, organizationId)).length, 1);
    // Nobody learns from it what others have.
    await settings.set('test', { ...shared, organizationId: otherOrganizationId });
    await settings.set('test', { organizationId, kind: 'status', secret: 'none' });
    await settings.set('test', shared);
  });

  test('once it signs no longer, a former secret may be that of the other setting', async (t) => {
    const { organizationId, settings, clock } = await openPushWorld(t, open);
    const url = 'http://127.0.0.1:8099/';
    const secret = new SecretText(ownSecret());
    await settings.set('test', { organizationId, kind: 'status', url, secret });
    await settings.set('test', { organizationId, kind: 'status', secret: 'generate' });
    const taken = { organizationId, kind: 'uplink', url, secret } as const;
    clock.advance(DAY - 1);
    await assertRefused(settings.set('test', taken), 'invalid_parameter', 'secret');
    clock.advance(1);
    await settings.set('test', taken);
  });

  test('of two settings that are given the same secret at once only one takes it', async (t) => {
    const { organizationId, otherOrganizationId, settings } = await openPushWorld(t, open);
    const kinds = ['status', 'uplink'] as const;
    const url = 'http://127.0.0.1:8099/';
    const giveBoth = async (request: { organizationId: string; url?: string }) => {
      const secret = new SecretText(ownSecret());
      const given = kinds.map((kind) => settings.set('test', { ...request, kind, secret }));
      const ends = await Promise.allSettled(given);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      assert.equal(refused.length, 1);
      await assertRefused(Promise.reject(refused[0]), 'invalid_parameter', 'secret');
    };
    for (const kind of kinds) await settings.set('test', { organizationId, kind, url });
    for (let round = 0; round < 5; round += 1) await giveBoth({ organizationId });
    // Neither is there yet: there is no row of a setting that one could wait for.
    await giveBoth({ organizationId: otherOrganizationId, url });
    assert.equal((await settingsOf(settings, otherOrganizationId)).length, 1);
  });

  test('secrets follow a rotation of the master key, and one that was altered is found', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings, database } = world;
    const url = 'http://127.0.0.1:8099/';
    await settings.set('test', { organizationId, kind: 'status', url, secret: 'generate' });
    await settings.set('test', { organizationId, kind: 'status', secret: 'generate' });
    const store = sealedPushSecrets(database, world.feed);
    const next = withCurrentKey(world.ring(), newMasterKey(2, randomBytes));
    assert.deepEqual(await store.keysInUse(database.db), [world.ring().current.id]);
    assert.equal(await store.rewrap(next, 100), 2);
    assert.equal(await store.rewrap(next, 100), 0);
    assert.deepEqual(await store.keysInUse(database.db), [next.current.id]);
    assert.deepEqual(await store.check(next), { sealed: 2, faults: [] });
    await database.db
      .updateTable('push_secret')
      .set({ sealed: randomBytes(100) })
      .where('replaced_at', 'is', null)
      .execute();
    const { sealed, faults } = await store.check(next);
    assert.deepEqual([sealed, faults.length], [2, 1]);
  });

  test('no secret is sealed by a master key that is retired', async (t) => {
    const world = await openPushWorld(t, open);
    const { organizationId, settings } = world;
    await world.database.db.deleteFrom('master_key').execute();
    const url = 'http://127.0.0.1:8099/';
    const request = { organizationId, kind: 'status', url, secret: 'generate' } as const;
    await assertRefused(settings.set('test', request), 'service_unavailable', undefined);
    assert.deepEqual(await settingsOf(settings, organizationId), []);
  });

  test('a test push has the sample that is asked for', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const { organizationId, settings } = world;
    const url = `http://127.0.0.1:${receiver.port}/status`;
    await settings.set('test', { organizationId, kind: 'status', url });
    const of = async (sample?: TestSample) => {
      const { url: sent } = await settings.test('operator:1', organizationId, 'status', sample);
      return new URL(sent).searchParams.get('of');
    };
    assert.equal(await of(), 'status delivered');
    assert.equal(await of('undelivered'), 'status undelivered');
    assert.equal(await of('rejected'), 'status rejected');
  });

  test('a test push goes the same way, whether on or off, and shows what was sent and what came back', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const { organizationId, settings } = world;
    const url = `http://127.0.0.1:${receiver.port}/reply?key=hush`;
    await settings.set('test', { organizationId, kind: 'uplink', url, secret: 'generate' });
    const shown = await settings.test('operator:1', organizationId, 'uplink');
    const query = 'of=uplink%20delivered';
    assert.equal(shown.url, `http://127.0.0.1:${receiver.port}/reply?***&${query}`);
    assert.deepEqual(
      [shown.delivered, shown.outcome, shown.status, shown.address, shown.answer],
      [true, 'answered', 200, '127.0.0.1', null],
    );
    assert.match(receiver.requests[0] ?? '', /^GET \/reply\?key=hush&of=/);
    for (const [name, value] of Object.entries(shown.headers)) {
      assert.ok(receiver.requests[0]?.includes(`${name}: ${value}`), name);
    }
    assert.deepEqual(await world.attempts(), []);
    await assertRefused(settings.test('operator:1', organizationId, 'status'), 'not_found', 'kind');
  });

  test('health counts what waits and what failed', async (t) => {
    const world = await openPushWorld(t, open);
    await pointTo(world, world.organizationId, 8099);
    await accept(world, statusOf(world.organizationId), statusOf(world.organizationId));
    assert.deepEqual(await world.settings.health(world.organizationId), [
      {
        kind: 'status',
        enabled: true,
        waiting: 2,
        failed: 0,
        oldest_due_at: new Date(world.clock.now()).toISOString(),
        lane: null,
      },
    ]);
  });
});

const ownSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Some time later the setting for statuses gets this secret. */
async function give({ settings, organizationId, clock }: PushWorld, after = 0, text = ownSecret()): Promise<string> {
  clock.advance(after);
  const secret = new SecretText(text);
  await settings.set('test', { organizationId, kind: 'status', url: 'http://127.0.0.1:9/', secret });
  return text;
}

/** Those of the secrets that a push is signed by now, in the order of its signatures. */
async function signers({ settings, organizationId }: PushWorld, ...secrets: readonly string[]): Promise<string[]> {
  const { url, headers } = await settings.test('test', organizationId, 'status');
  const time = new Date(Number(headers['webhook-timestamp']) * 1000);
  const query = new URL(url).search.slice(1);
  const sign = (secret: string) => new Webhook(secret).sign(String(headers['webhook-id']), time, query);
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures.map((signature) => secrets.find((secret) => sign(secret) === signature) ?? 'somebody');
}

function verifies(secret: string, head: string): boolean {
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ', 2)),
  );
  const query = /\?(\S*) HTTP/.exec(head)?.[1] ?? '';
  const webhook = new Webhook(secret);
  const time = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = webhook.sign(String(headers['webhook-id']), time, query);
  return String(headers['webhook-signature']).split(' ').includes(signature);
}

async function assertRefused(work: Promise<unknown>, code: string, field: string | undefined): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.deepEqual([error.code, error.field], [code, field], error.message);
    return true;
  });
}
