import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type Answer, openManagementWorld } from '../whole-server/management-world.testing.ts';
import { assertTold } from './doctor/doctor-check.testing.ts';
import type { Check } from './doctor/doctor-check.ts';
import { nodeTimeoutMs, putNode } from './instance-store.ts';
import { createNodeHeartbeat } from './node-heartbeat.ts';

const items = ({ json }: Answer) => json.items as Record<string, unknown>[];

onBothDatabases('an operator', (_open, kind) => {
  test('sees the nodes, the master keys they hold, the database, what waits and how fast things go', async (t) => {
    const { request, application } = await openManagementWorld(t, kind);
    const { database, nodeId, masterKeys } = application;
    const stop = new AbortController();
    const now = await databaseNow(database);
    const other = { version: 'test', started_at: now, key_ids: '[]', recent_messages: 400, recent_retrievals: 1 };
    await putNode(database.db, { ...other, id: 'living', seen_at: now });
    await putNode(database.db, { ...other, id: 'gone', seen_at: now - nodeTimeoutMs });
    // Written by a clock that was ahead.
    await putNode(database.db, { ...other, id: 'ahead', seen_at: now + 3_600_000 });
    const heartbeat = createNodeHeartbeat({
      ...{ database, nodeId, version: 'test', keys: masterKeys, log: { info() {}, error() {} } },
      databaseNow: () => databaseNow(database),
      recent: { messages: { sum: () => 600 }, retrievals: { sum: () => 5 } },
      // After the first beat.
      wait: async () => {
        const { json } = await request('operator', 'GET', '/instance');
        const { nodes, database: stored, node_id, backlog, rates } = json as Instance;
        assert.deepEqual([stored.kind, (stored.bytes ?? 0) > 0, node_id], [kind, true, nodeId]);
        const current = masterKeys.ring().current.id;
        assert.deepEqual(
          new Map(nodes.map(({ id, alive, key_ids }) => [id, { alive, key_ids }])),
          new Map([
            ['ahead', { alive: false, key_ids: [] }],
            ['gone', { alive: false, key_ids: [] }],
            ['living', { alive: true, key_ids: [] }],
            [nodeId, { alive: true, key_ids: [current] }],
          ]),
        );
        assert.deepEqual([rates.messages_per_minute, rates.retrievals_per_minute], [200, 1.2]);
        assert.deepEqual(backlog, { waiting_pushes: 0, waiting_parts: 0, open_messages: 0 });
        const keys = await request('operator', 'GET', '/instance/master-keys');
        assert.deepEqual(
          items(keys).map(({ id, current, held_by }) => ({ id, current, held_by })),
          [{ id: current, current: true, held_by: [nodeId] }],
        );
        stop.abort();
      },
    });
    await heartbeat.run(stop.signal);
  });

  test('searches the trail by actor, action, subject and time, an organization its own entries', async (t) => {
    const { request, acme, other, application } = await openManagementWorld(t, kind);
    const { audit } = application;
    const day = Date.UTC(2030, 0, 1);
    const entry = (organizationId: string, actor: string, action: 'route.add' | 'route.remove', at: number) => ({
      ...{ organizationId, actor, action, at, subject: 'it', detail: '{"n":1}' },
    });
    for (let hour = 0; hour < 6; hour += 1) {
      await audit.append([
        entry(acme, 'cli:a', 'route.add', day + hour * 3_600_000),
        entry(other, 'cli:b', 'route.remove', day + hour * 3_600_000),
      ]);
    }
    const count = async (path: string) => items(await request('operator', 'GET', path)).length;
    assert.equal(await count('/instance/audit?subject=it'), 12);
    assert.equal(await count('/instance/audit?actor=cli:a'), 6);
    assert.equal(await count('/instance/audit?action=route.'), 12);
    assert.equal(await count('/instance/audit?action=route.remove&actor=cli:a'), 0);
    assert.equal(await count(`/instance/audit?organization_id=${acme}&subject=it`), 6);
    assert.equal(await count('/instance/audit?since=2030-01-01T02:00:00Z&until=2030-01-01T03:00:00Z'), 4);
    assert.equal(await count('/instance/audit?until=2030-01-01T00:30:00Z&subject=it'), 2);
    const own = await request('admin', 'GET', `/organizations/${acme}/audit?limit=2`);
    const next = await request('admin', 'GET', `/organizations/${acme}/audit?limit=2&cursor=${own.json.next_cursor}`);
    assert.deepEqual(
      [...items(own), ...items(next)].map(({ organization_id, actor, detail }) => [organization_id, actor, detail]),
      Array.from({ length: 4 }, () => [acme, 'cli:a', { n: 1 }]),
    );
    const verified = await request('operator', 'POST', '/instance/audit/verify', { body: {} });
    assert.deepEqual([verified.status, verified.json.ok, verified.json.faults], [200, true, []]);
    const head = { ...(verified.json.head as { readonly link: number }), mac: '0'.repeat(64) };
    const elsewhere = await request('operator', 'POST', '/instance/audit/verify', { body: { head } });
    assert.equal(elsewhere.json.ok, false);
    assert.deepEqual(elsewhere.json.faults, [
      {
        link: head.link,
        code: 'expected_head_not_passed',
        reason: 'the chain does not pass through the expected head',
        parameters: {},
      },
    ]);
  });

  test('has the doctor look, which names each finding by its code, with what its sentence is filled with', async (t) => {
    const { request, importCertificate } = await openManagementWorld(t, kind);
    await importCertificate();
    const { status, json } = await request('operator', 'POST', '/instance/doctor', { body: {} });
    const checks = json.checks as Check[];
    assert.equal(status, 200);
    assertTold(checks);
    const found = new Map(checks.map(({ code, parameters }) => [code, parameters]));
    assert.deepEqual(found.get('settings_accepted'), {});
    assert.deepEqual(found.get('certificates_not_expiring'), { count: 1 });
    assert.deepEqual(found.get('sealed_secrets_open'), { sealed: 2 });
  });

  test('is told how far the doctor has come, who looks once for all who ask meanwhile', async (t) => {
    const { request, application } = await openManagementWorld(t, kind);
    const opened = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const [store] = application.sealedStores;
    assert.ok(store !== undefined);
    const check = t.mock.method(store, 'check', async () => {
      reached.resolve();
      await opened.promise;
      return { sealed: 0, faults: [] };
    });
    const work = async () => (await request('operator', 'GET', '/instance/work')).json;
    assert.deepEqual(await work(), { inspection: null, audit_verification: null });
    const diagnosis = request('operator', 'POST', '/instance/doctor');
    await reached.promise;
    const { inspection, audit_verification } = (await work()) as {
      inspection: Record<string, unknown>;
    } & Answer['json'];
    assert.deepEqual([inspection.done, inspection.total, audit_verification], [4, 12, null]);
    assert.ok(Math.abs(Date.parse(String(inspection.started_at)) - application.clock.now()) < 3_600_000);
    const twin = request('operator', 'POST', '/instance/doctor');
    await work();
    opened.resolve();
    const [{ status, json }, { json: same }] = await Promise.all([diagnosis, twin]);
    assert.deepEqual([status, same], [200, json]);
    assert.equal(check.mock.callCount(), 1);
    assert.deepEqual(await work(), { inspection: null, audit_verification: null });
  });

  test('gives inbound numbers to an organization, and a reply to them is its own', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const route = { organization_id: acme, carrier: 'simulator', kind: 'number', address: '+10690' };
    const made = await request('operator', 'POST', '/instance/routes', { body: route });
    assert.deepEqual([made.status, made.json.address], [201, '10690']);
    assert.equal(
      (await request('operator', 'POST', '/instance/routes', { body: route })).json.reason,
      'already_routed',
    );
    const reply = { from: '+8613800138000', to: '10690', text: 'Hello' };
    const path = '/instance/carriers/simulator/replies';
    assert.equal((await request('operator', 'POST', path, { body: reply })).status, 204);
    await request('operator', 'POST', path, { body: { ...reply, to: '999' } });
    const own = items(await request('viewer', 'GET', `/organizations/${acme}/replies`));
    assert.deepEqual(
      own.map(({ mobile, owned_by, message }) => [mobile, owned_by, message]),
      [['+8613800138000', 'number', 'Hello']],
    );
    const unmatched = items(await request('operator', 'GET', '/instance/replies'));
    assert.deepEqual(
      unmatched.map(({ to, owned_by }) => [to, owned_by]),
      [['999', 'nothing']],
    );
    assert.equal(items(await request('viewer', 'GET', `/organizations/${acme}/routes`)).length, 1);
    assert.equal((await request('operator', 'DELETE', `/instance/routes/${made.json.id}`)).status, 204);
    assert.equal((await request('operator', 'DELETE', `/instance/routes/${made.json.id}`)).json.code, 'not_found');
  });
});
