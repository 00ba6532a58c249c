import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { refused } from '../accounts/people-world.testing.ts';
import type { Manager } from '../api/manager.ts';
import type { DatabaseKind } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { openManagementWorld } from '../whole-server/management-world.testing.ts';

const boss: Manager = { by: 'cli:test', rank: 'operator' };
const noLonger = refused('invalid_parameter', 'expires_at');
const noWider = refused('invalid_parameter', 'allow');

async function openBounds(t: TestContext, kind: DatabaseKind) {
  const world = await openManagementWorld(t, kind);
  const { application, acme } = world;
  const { people, managementKeys, messaging, deployments, clock } = application;
  const end = clock.now() + 3_600_000;
  const about = { organizationId: acme, name: 'robot', role: 'admin', allow: ['127.0.0.0/8'] } as const;
  async function robotWith(more: { readonly expiresAt?: number; readonly allow?: readonly string[] }) {
    const { key } = await managementKeys.create(boss, { ...about, ...more });
    return { id: key.id, by: `key:${key.id}`, rank: 'admin' } as const;
  }
  const certificateId = await world.importCertificate();
  const deployment = (by: string) => deployments.create(by, { certificateId, name: 'web', allow: ['0.0.0.0/0'] });
  const messagingKey = (by: string) =>
    messaging.keys.create(by, { organizationId: acme, name: 'shop', allow: ['0.0.0.0/0'] });
  return {
    ...world,
    ...people,
    managementKeys,
    deployments,
    messagingKeys: messaging.keys,
    clock,
    end,
    about,
    robotWith,
    deployment,
    messagingKey,
  };
}

onBothDatabases('what management keys make', (_open, kind) => {
  test('ends with a key that ends', async (t) => {
    const world = await openBounds(t, kind);
    const { managementKeys, about, end } = world;
    const robot = await world.robotWith({ expiresAt: end });
    assert.equal((await world.deployment(robot.by)).deployment.expires_at, toRfc3339(end));
    assert.equal((await world.messagingKey(robot.by)).messagingKey.expires_at, toRfc3339(end));
    const { key } = await managementKeys.create(robot, about);
    assert.equal(key.expires_at, toRfc3339(end), 'left out');
    const sooner = await managementKeys.create(robot, { ...about, expiresAt: end - 1 });
    assert.equal(sooner.key.expires_at, toRfc3339(end - 1));
    for (const expiresAt of [null, end + 1]) {
      await assert.rejects(managementKeys.create(robot, { ...about, expiresAt }), noLonger);
    }
    const lasting = await world.robotWith({});
    assert.equal((await world.deployment(lasting.by)).deployment.expires_at, null);
    assert.equal((await world.messagingKey('account:a')).messagingKey.expires_at, null);
  });

  test('a key that ends gets no token of what outlives it, and lets nothing live longer', async (t) => {
    const world = await openBounds(t, kind);
    const { deployments, messagingKeys, end } = world;
    const robot = await world.robotWith({ expiresAt: end });
    const { deployment } = await world.deployment('account:a');
    const { messagingKey } = await world.messagingKey('account:a');
    for (const [holders, id] of [
      [deployments, deployment.id],
      [messagingKeys, messagingKey.id],
    ] as const) {
      const former = await holders.show(id);
      await assert.rejects(holders.rotate(robot.by, id, 0), noLonger);
      await assert.rejects(holders.update(robot.by, id, { name: 'mine', expiresAt: end + 1 }), noLonger);
      await assert.rejects(holders.update(robot.by, id, { expiresAt: null }), noLonger);
      assert.deepEqual(await holders.show(id), former, 'nothing of it stays');
      await holders.update(robot.by, id, { name: 'renamed' });
      await holders.update(robot.by, id, { expiresAt: end });
      await holders.rotate(robot.by, id, 0);
      await holders.update('account:a', id, { expiresAt: null });
    }
  });

  test('a key that ends invites nobody', async (t) => {
    const { members, robotWith, acme, end } = await openBounds(t, kind);
    const [ending, lasting] = [await robotWith({ expiresAt: end }), await robotWith({})];
    await assert.rejects(members.invite(ending, acme, 'a@example.com', 'viewer'), refused('role_not_permitted'));
    assert.deepEqual(await members.listInvitations(acme), []);
    await members.invite(lasting, acme, 'a@example.com', 'viewer');
  });

  test('a management key is good from no address that is not on the list of the key that makes or changes it', async (t) => {
    const { managementKeys, robotWith, about, deployment } = await openBounds(t, kind);
    const robot = await robotWith({ allow: ['127.0.0.0/8', '2001:db8::/32'] });
    for (const allow of [['0.0.0.0/0'], ['::/0'], ['127.0.0.1', '192.0.2.1']]) {
      await assert.rejects(managementKeys.create(robot, { ...about, allow }), noWider);
    }
    const { key } = await managementKeys.create(robot, { ...about, allow: ['127.0.0.1', '2001:db8:1::/48'] });
    await assert.rejects(managementKeys.update(robot, key.id, { allow: ['0.0.0.0/0'] }), noWider);
    const { id } = (await managementKeys.create(boss, { ...about, allow: ['0.0.0.0/0'] })).key;
    await assert.rejects(managementKeys.rotate(robot, id, 0), noWider);
    await assert.rejects(managementKeys.update(robot, id, { name: 'mine' }), noWider);
    await managementKeys.update(robot, id, { enabled: false });
    await managementKeys.update(robot, id, { allow: ['127.0.0.1'] });
    await managementKeys.rotate(robot, id, 0);
    // Allow-lists of other machines.
    await deployment(robot.by);
  });

  test('a key that was deleted while it asked makes and changes nothing', async (t) => {
    const world = await openBounds(t, kind);
    const { managementKeys, deployments, members, about, acme, deployment } = world;
    const robot = await world.robotWith({});
    const { id } = (await deployment('account:a')).deployment;
    const former = await deployments.show(id);
    await managementKeys.delete(boss, robot.id);
    for (const attempt of [
      () => managementKeys.create(robot, about),
      () => managementKeys.create(robot, { ...about, expiresAt: null }),
      () => deployment(robot.by),
      () => world.messagingKey(robot.by),
      () => deployments.rotate(robot.by, id, 0),
      () => deployments.update(robot.by, id, { expiresAt: null }),
      () => members.invite(robot, acme, 'a@example.com', 'viewer'),
    ]) {
      await assert.rejects(attempt, refused('invalid_token'), String(attempt));
    }
    assert.deepEqual(await deployments.show(id), former);
  });

  test('a deleted key names whose tokens it has made, while they are good', async (t) => {
    const world = await openBounds(t, kind);
    const { managementKeys, deployments, messagingKeys, acme } = world;
    const robot = await world.robotWith({});
    const { deployment } = await world.deployment(robot.by);
    const { messagingKey } = await world.messagingKey(robot.by);
    const { key } = await managementKeys.create(robot, { ...world.about, name: 'sibling' });
    const rotated = (await world.deployment('account:a')).deployment.id;
    await deployments.rotate(robot.by, rotated, 0);
    await managementKeys.rotate(robot, robot.id, 0);
    // Its creations that are not valid any more: deleted, expired, or with a token that it has not seen.
    await deployments.delete('account:a', (await world.deployment(robot.by)).deployment.id);
    const ended = (await world.deployment(robot.by)).deployment.id;
    await deployments.update('account:a', ended, { expiresAt: world.clock.now() - 1 });
    await messagingKeys.rotate('account:a', (await world.messagingKey(robot.by)).messagingKey.id, 0);
    await world.messagingKey('account:a');

    const { status, json } = await world.request(
      'owner',
      'DELETE',
      `/organizations/${acme}/management-keys/${robot.id}`,
    );
    const made = (kind: string, id: string, name: string) => ({ kind, id, organization_id: acme, name });
    assert.deepEqual(
      [status, json.left],
      [
        200,
        {
          total: 4,
          items: [
            made('deployment', deployment.id, 'web'),
            made('deployment', rotated, 'web'),
            made('messaging_key', messagingKey.id, 'shop'),
            made('management_key', key.id, 'sibling'),
          ],
        },
      ],
    );
    assert.deepEqual((await managementKeys.delete(boss, key.id)).left, { total: 0, items: [] });
  });
});

onBothDatabases('a person at a deployment over HTTP', (_open, kind) => {
  test('needs a fresh sign-in for its tokens and for a wider allow-list, and a key does not', async (t) => {
    const { request, acme, importCertificate } = await openManagementWorld(t, kind);
    const all = `/organizations/${acme}/deployments`;
    const body = { certificate_id: await importCertificate(), name: 'web', allow: ['192.0.2.0/24'] };
    const made = await request('key-developer', 'POST', all, { body });
    assert.equal(made.status, 201, made.text);
    const one = `${all}/${String(made.json.id)}`;
    const change = (caller: 'stale-owner' | 'owner' | 'key-developer', body: object) =>
      request(caller, 'PATCH', one, { body, headers: { 'if-match': '*' } });
    const answers = [
      await request('stale-owner', 'POST', all, { body }),
      await request('stale-owner', 'POST', `${one}/rotate`),
      await change('stale-owner', { allow: ['192.0.0.0/16'] }),
      await change('stale-owner', { allow: ['192.0.2.7', '2001:db8::1'] }),
    ];
    for (const { status, json } of answers) {
      assert.deepEqual([status, json.code], [403, 'reauthentication_required']);
    }
    for (const less of [
      { name: 'renamed' },
      { allow: ['192.0.2.7', '192.0.2.128/25'] },
      { allow: [] },
      { enabled: false },
    ]) {
      assert.equal((await change('stale-owner', less)).status, 200, JSON.stringify(less));
    }
    assert.equal((await change('owner', { allow: ['192.0.2.7'] })).status, 200);
    assert.equal((await change('key-developer', { allow: ['0.0.0.0/0'] })).status, 200);
    assert.equal((await request('key-developer', 'POST', `${one}/rotate`)).status, 201);
  });
});
