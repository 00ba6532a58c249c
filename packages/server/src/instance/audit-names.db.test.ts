import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type Answer, openManagementWorld } from '../whole-server/management-world.testing.ts';

const items = ({ json }: Answer) => json.items as AuditEntry[];

onBothDatabases('the audit trail as people read it', (_open, kind) => {
  test('names who did it and what it was done to, and what is gone no more', async (t) => {
    const { request, acme, importCertificate } = await openManagementWorld(t, kind);
    const certificate = await importCertificate();
    const at = `/organizations/${acme}`;
    const made = await request('admin', 'POST', `${at}/deployments`, {
      body: { certificate_id: certificate, name: 'web-01', allow: [] },
    });
    const trail = async (who: 'admin' | 'operator', path: string) => items(await request(who, 'GET', path));
    const [shown] = await trail('admin', `${at}/audit?action=deployment.create`);
    assert.deepEqual(
      [shown?.actor_name, shown?.subject_name],
      ['admin@example.com', { kind: 'deployment', name: 'web-01' }],
    );
    await request('admin', 'DELETE', `${at}/deployments/${made.json.id}`);
    for (const entry of await trail('admin', `${at}/audit?subject=${made.json.id}`)) {
      assert.equal(entry.subject_name, null, entry.action);
    }
    const [imported] = await trail('operator', '/instance/audit?action=certificate.import');
    assert.equal(imported?.subject_name?.kind, 'certificate');
    const [created] = await trail('operator', `/instance/audit?action=organization.create&subject=${acme}`);
    assert.deepEqual(created?.subject_name, { kind: 'organization', name: 'Acme' });
  });

  test('tells the members of an organization nothing of who else runs the instance', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    await request('operator', 'POST', `/organizations/${acme}/suspend`);
    const path = `/organizations/${acme}/audit?action=organization.suspend`;
    const [own] = items(await request('admin', 'GET', path));
    assert.deepEqual([own?.actor_name, own?.subject_name?.name], [null, 'Acme']);
    const [asOperator] = items(await request('operator', 'GET', path));
    assert.equal(asOperator?.actor_name, 'operator@example.com');
    const [ofInstance] = items(await request('operator', 'GET', '/instance/audit?action=organization.suspend'));
    assert.equal(ofInstance?.actor_name, 'operator@example.com');
    const byEmail = `/organizations/${acme}/audit?actor=operator%40example.com`;
    assert.deepEqual(items(await request('admin', 'GET', byEmail)), []);
  });

  test('is searched by the email address of a person', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const at = `/organizations/${acme}`;
    await request('admin', 'POST', `${at}/invitations`, { body: { email: 'new@example.com', role: 'viewer' } });
    for (const path of [`${at}/audit`, '/instance/audit']) {
      const by = async (actor: string) => items(await request('operator', 'GET', `${path}?actor=${actor}`));
      assert.deepEqual(
        (await by('Admin%40example.com')).map(({ action }) => action),
        ['invitation.create'],
      );
      for (const nobody of ['nobody%40example.com', '%40']) {
        assert.deepEqual(await by(nobody), [], nobody);
      }
    }
  });
});
