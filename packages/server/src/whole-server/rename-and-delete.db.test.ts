import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Application } from '../compose.ts';
import { onBothDatabases } from '../database/testing.ts';
import { kept, removed } from '../organizations/organization-contents.ts';
import { openManagementWorld } from './management-world.testing.ts';

/** They tell what was done to an organization, also after its end. */
const stay = ['audit_entry', 'change_log'];

async function tablesOfOrganizations({ database }: Application): Promise<string[]> {
  const query =
    database.dialect === 'sqlite'
      ? sql<{ name: string }>`select m.name from sqlite_master m join pragma_table_info(m.name) c
          where m.type = 'table' and c.name = 'organization_id'`
      : sql<{ name: string }>`select table_name as name from information_schema.columns
          where table_schema = current_schema() and column_name = 'organization_id'`;
  return (await query.execute(database.db)).rows.map(({ name }) => name).sort();
}

/** Tables whose rows never outlive the `kept` ones that they belong to. */
const goneBefore = [
  'carrier_message',
  'certificate_name',
  'certificate_version',
  'deployment_activity',
  'deployment_refusal',
  'message',
  'message_event',
  'message_part',
  'push_attempt',
  'token',
] as const;

/** The tables that hold rows of an organization, with their number. */
async function rowsOf(application: Application, id: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of await tablesOfOrganizations(application)) {
    const { rows } = await sql<{ n: number | string }>`
      select count(*) as n from ${sql.table(table)} where organization_id = ${id}`.execute(application.database.db);
    const count = Number(rows[0]?.n);
    if (count > 0) found[table] = count;
  }
  return found;
}

onBothDatabases('renaming and deleting', (_open, kind) => {
  test('every table of an organization is known to its deletion', async (t) => {
    const { application } = await openManagementWorld(t, kind);
    const known = [...Object.keys(kept), ...goneBefore, ...removed, 'push', ...stay];
    assert.deepEqual(await tablesOfOrganizations(application), known.sort());
  });

  test('an organization gets a new name, unless another one has it', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}`;
    const renamed = await request('operator', 'PATCH', path, { body: { name: ' Acme & Söhne ' } });
    assert.deepEqual([renamed.status, renamed.json.name], [200, 'Acme & Söhne']);
    const { json } = await request('owner', 'GET', '/organizations');
    assert.deepEqual(
      (json.items as { name: string }[]).map(({ name }) => name),
      ['Acme & Söhne'],
    );
    const taken = await request('operator', 'PATCH', path, { body: { name: 'Other' } });
    assert.deepEqual([taken.status, taken.json.reason], [409, 'name_taken']);
    assert.equal((await request('operator', 'PATCH', path, { body: { name: 'a\nb' } })).json.field, 'name');
    assert.equal((await request('operator', 'GET', path)).json.name, 'Acme & Söhne');
  });

  test('an organization that holds anything stays, and the refusal names it', async (t) => {
    const { request, application } = await openManagementWorld(t, kind);
    const { organizations, messaging, database } = application;
    const { id } = await organizations.create('test', 'Busy');
    const left = async () => {
      const { status, json } = await request('operator', 'DELETE', `/organizations/${id}`);
      assert.deepEqual([status, json.reason], [409, 'organization_not_empty'], JSON.stringify(json));
      return (json.parameters as { left: string }).left;
    };
    const { messagingKey } = await messaging.keys.create('test', { organizationId: id, name: 'shop', allow: [] });
    assert.equal(await left(), 'messaging keys');
    const body = { mobile: '+8613800138000', content: 'Hello' };
    await messaging.sends.send({ organizationId: id, keyId: '', idempotencyKey: undefined, body });
    assert.equal(await left(), 'messaging keys, messages');
    await messaging.keys.delete('test', messagingKey.id);
    // Pushes of a suspended organization wait for longer than its messages are kept.
    const url = 'http://127.0.0.1:9/';
    const { setting } = await messaging.pushSettings.set('test', { organizationId: id, kind: 'status', url });
    await sql`delete from message_batch where organization_id = ${id}`.execute(database.db);
    const times = { due_at: 1e15, queued_at: 0, created_at: 0, attempts: 0, attempts_before: 0 };
    const push = { organization_id: id, id: 'p', setting_id: setting.id, shard: 0, payload: '{}', ...times };
    await database.db.insertInto('push').values(push).execute();
    assert.equal(await left(), 'waiting pushes');
  });

  test('an empty one goes with its settings, lists and places, and its name is free again', async (t) => {
    const { request, application, acme } = await openManagementWorld(t, kind);
    const { organizations, messaging, people, database, audit } = application;
    const { id } = await organizations.create('test', 'Left');
    const manager = { by: 'test', rank: 'operator' } as const;
    const url = 'http://127.0.0.1:9/?key=1';
    for (const each of ['status', 'uplink'] as const) {
      await messaging.pushSettings.set('test', { organizationId: id, kind: each, url, secret: 'generate' });
    }
    await messaging.blockedLists.addNumber('test', id, '+8613800138000');
    await messaging.blockedLists.addWord('test', id, 'word');
    await messaging.optOuts.add('test', id, '+8613800138001');
    await messaging.settings.update('test', id, { defaultRegion: 'CN' });
    await people.members.invite(manager, id, 'a@example.com', 'viewer');
    const place = { account_id: 'viewer', role: 'owner', by_sso: 0, created_at: 0 } as const;
    await database.db
      .insertInto('membership')
      .values({ organization_id: id, ...place })
      .execute();

    assert.equal((await request('owner', 'DELETE', `/organizations/${acme}`)).json.code, 'role_not_permitted');
    assert.equal((await request('operator', 'DELETE', `/organizations/${id}`)).status, 204);
    assert.deepEqual(Object.keys(await rowsOf(application, id)), stay);
    assert.equal((await request('operator', 'GET', `/organizations/${id}`)).status, 404);
    assert.equal((await request('operator', 'DELETE', `/organizations/${id}`)).status, 404);
    const [entry] = await audit.list({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject, entry?.detail], ['organization.delete', id, '{"name":"Left"}']);
    await organizations.create('test', 'Left');
  });

  test('nothing is made in an organization that is deleted at the same time', async (t) => {
    const { application, request } = await openManagementWorld(t, kind);
    const { organizations, messaging } = application;
    for (let round = 0; round < 20; round += 1) {
      const { id } = await organizations.create('test', `Short-lived ${round}`);
      const [made, deleted] = await Promise.allSettled([
        messaging.keys.create('test', { organizationId: id, name: 'key', allow: [] }),
        organizations.delete('test', id),
      ]);
      assert.notEqual(made.status, deleted.status);
      const rows = await rowsOf(application, id);
      assert.equal('messaging_key' in rows, made.status === 'fulfilled', JSON.stringify(rows));
      assert.equal(
        (await request('operator', 'GET', `/organizations/${id}`)).status,
        'messaging_key' in rows ? 200 : 404,
      );
    }
  });

  test('a certificate gets a new name', async (t) => {
    const { request, acme, importCertificate } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}/certificates/${await importCertificate()}`;
    const { json } = await request('developer', 'PATCH', path, { body: { name: ' shop ' } });
    assert.deepEqual([json.name, (await request('viewer', 'GET', path)).json.name], ['shop', 'shop']);
    const refused = await request('developer', 'PATCH', path, { body: { name: '\u200b' } });
    assert.deepEqual([refused.status, refused.json.field], [400, 'name']);
  });

  test('a certificate with a deployment stays; without one it goes with all its keys', async (t) => {
    const { request, application, acme, importCertificate } = await openManagementWorld(t, kind);
    const { certificates, deployments, audit } = application;
    const id = await importCertificate();
    const path = `/organizations/${acme}/certificates/${id}`;
    const { deployment } = await deployments.create('test', { certificateId: id, name: 'web', allow: [] });
    await certificates.revoke('test', id);
    const { status, json } = await request('admin', 'DELETE', path);
    assert.deepEqual([status, json.reason, json.parameters], [409, 'certificate_deployed', { count: '1' }]);
    await deployments.delete('test', deployment.id);
    assert.equal((await request('developer', 'DELETE', path)).json.code, 'role_not_permitted');
    const before = await rowsOf(application, acme);
    assert.equal((await request('admin', 'DELETE', path)).status, 204);
    assert.equal((await request('viewer', 'GET', path)).status, 404);
    const { certificate = 0, certificate_version = 0 } = await rowsOf(application, acme);
    assert.deepEqual(
      [certificate, certificate_version],
      [Number(before.certificate) - 1, Number(before.certificate_version) - 1],
    );
    const [entry] = await audit.list({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['certificate.delete', id]);
  });

  test('no deployment is made of a certificate that is deleted at the same time', async (t) => {
    const { application, importCertificate } = await openManagementWorld(t, kind);
    const { certificates, deployments } = application;
    for (let round = 0; round < 20; round += 1) {
      const id = await importCertificate();
      const [made, deleted] = await Promise.allSettled([
        deployments.create('test', { certificateId: id, name: 'web', allow: [] }),
        certificates.delete('test', id),
      ]);
      assert.notEqual(made.status, deleted.status);
      const shown = await certificates.show(id).then(
        () => true,
        () => false,
      );
      assert.equal(shown, made.status === 'fulfilled');
    }
  });
});
