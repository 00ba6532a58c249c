import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { openManagementWorld } from '../whole-server/management-world.testing.ts';
import { refused } from './people-world.testing.ts';

onBothDatabases('the people of the instance over HTTP', (_open, kind) => {
  test('an operator makes another one, whose link is in that answer alone', async (t) => {
    const { request, application } = await openManagementWorld(t, kind);
    const made = await request('operator', 'POST', '/instance/operators', { body: { email: ' New@Example.com' } });
    assert.equal(made.status, 201, made.text);
    const { id, email, link, active, operator } = made.json as Record<string, string | boolean>;
    assert.deepEqual([email, active, operator], ['new@example.com', false, true]);
    const token = new URL(String(link)).hash.replace('#token=', '');
    const listed = await request('operator', 'GET', '/instance/accounts?email=NEW@example.com');
    assert.deepEqual(
      (listed.json.items as { id: string }[]).map((each) => each.id),
      [id],
    );
    const kept = JSON.stringify([listed.text, await application.audit.list({ limit: 200 })]);
    assert.equal(kept.includes(token), false);
    const again = await request('operator', 'POST', '/instance/operators', { body: { email: 'new@example.com' } });
    assert.deepEqual([again.status, again.json.code, again.json.reason], [409, 'conflict', 'already_operator']);
    const operators = await request('operator', 'GET', '/instance/accounts?operator=true&limit=200');
    assert.ok((operators.json.items as { operator: boolean }[]).every((each) => each.operator));
    const others = await request('operator', 'GET', '/instance/accounts?operator=false&limit=200');
    assert.ok((others.json.items as { operator: boolean }[]).every((each) => !each.operator));
  });

  test('disables, enables and resets, by id, and nobody disables themselves', async (t) => {
    const { request } = await openManagementWorld(t, kind);
    const at = '/instance/accounts/viewer';
    const disabled = await request('operator', 'POST', `${at}/disable`);
    assert.deepEqual([disabled.status, disabled.json.disabled], [200, true]);
    const refused = await request('operator', 'POST', `${at}/reset`);
    assert.deepEqual([refused.status, refused.json.code, refused.json.reason], [409, 'conflict', 'account_disabled']);
    assert.equal((await request('operator', 'POST', `${at}/enable`)).json.disabled, false);
    const reset = await request('operator', 'POST', `${at}/reset`);
    assert.match(String(reset.json.link), /#token=[\w-]{43}$/);
    assert.equal((await request('operator', 'POST', '/instance/accounts/operator/disable')).json.reason, 'own_account');
    for (const what of ['disable', 'enable', 'reset']) {
      const { status, json } = await request('operator', 'POST', `/instance/accounts/nobody-here/${what}`);
      assert.deepEqual([status, json.code, json.field], [404, 'not_found', undefined], what);
    }
  });

  test('a key makes none that outlives it, and does not change itself', async (t) => {
    const { application } = await openManagementWorld(t, kind);
    const { managementKeys } = application;
    const boss = { by: 'cli', rank: 'operator' } as const;
    const end = application.clock.now() + 3_600_000;
    const about = { organizationId: '', name: 'robot', role: 'operator', allow: ['::1'], expiresAt: end } as const;
    const { key } = await managementKeys.create(boss, about);
    const robot = { by: `key:${key.id}`, rank: 'operator' } as const;
    for (const expiresAt of [null, end + 1]) {
      await assert.rejects(
        managementKeys.create(robot, { ...about, expiresAt }),
        refused('invalid_parameter', 'expires_at'),
      );
    }
    const other = (await managementKeys.create(robot, about)).key;
    await assert.rejects(managementKeys.update(robot, other.id, { expiresAt: null }), refused('invalid_parameter'));
    await managementKeys.update(robot, other.id, { name: 'renamed' });
    for (const update of [{ expiresAt: null }, { allow: ['0.0.0.0/0'] }]) {
      await assert.rejects(managementKeys.update(robot, key.id, update), refused('role_not_permitted'));
    }
    await managementKeys.rotate(robot, key.id, 0);
  });

  test('a key gets hold of none that outlives it, and may switch such a one off', async (t) => {
    const { application } = await openManagementWorld(t, kind);
    const { managementKeys } = application;
    const boss = { by: 'cli', rank: 'operator' } as const;
    const end = application.clock.now() + 3_600_000;
    const about = { organizationId: '', name: 'robot', role: 'operator', allow: ['::1'] } as const;
    const { key } = await managementKeys.create(boss, { ...about, expiresAt: end });
    const robot = { by: `key:${key.id}`, rank: 'operator' } as const;
    const no = refused('invalid_parameter', 'expires_at');
    for (const expiresAt of [null, end + 1]) {
      const { id } = (await managementKeys.create(boss, { ...about, expiresAt })).key;
      await managementKeys.update(robot, id, { enabled: false });
      const former = await managementKeys.show(id);
      await assert.rejects(managementKeys.rotate(robot, id, 0), no);
      const longer = { enabled: false, expiresAt: end + 2 };
      for (const update of [{ enabled: true }, { allow: ['::/0'] }, { enabled: false, allow: ['::/0'] }, longer]) {
        await assert.rejects(managementKeys.update(robot, id, update), no);
      }
      assert.deepEqual(await managementKeys.show(id), former, 'nothing of it stays');
      await managementKeys.update(robot, id, { enabled: true, expiresAt: end });
      await managementKeys.rotate(robot, id, 0);
    }
  });

  test('no key makes people or resets them; a key makes keys, a person only when fresh', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const body = { email: 'x@example.com' };
    const byKey = await request('key-instance', 'POST', '/instance/operators', { body });
    assert.deepEqual([byKey.status, byKey.json.code], [403, 'role_not_permitted']);
    const keys = `/organizations/${acme}/management-keys`;
    const key = { name: 'robot', role: 'viewer', allow: [] };
    assert.equal((await request('key-admin', 'POST', keys, { body: key })).status, 201);
    assert.equal((await request('stale-owner', 'POST', keys, { body: key })).json.code, 'reauthentication_required');
    assert.equal((await request('owner', 'POST', keys, { body: key })).status, 201);
  });
});
