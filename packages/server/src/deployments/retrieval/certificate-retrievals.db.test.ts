import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexLinks } from '../../audit/audit-index.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { openManagementWorld } from '../../whole-server/management-world.testing.ts';

interface Shown {
  readonly items: readonly { readonly at: string; readonly version: string; readonly deployment: object }[];
  readonly next_cursor: string | null;
}

onBothDatabases('what was fetched of a certificate', (_open, kind) => {
  async function furnished(t: Parameters<typeof openManagementWorld>[0]) {
    const world = await openManagementWorld(t, kind);
    const { deployments, audit } = world.application;
    const certificates = [await world.importCertificate(), await world.importCertificate()] as const;
    const create = async (certificateId: string, name: string) =>
      (await deployments.create('test', { certificateId, name, allow: [] })).deployment.id;
    const web = await create(certificates[0], 'web-01');
    const gone = await create(certificates[0], 'web-02');
    const other = await create(certificates[1], 'mail');
    let at = Date.UTC(2026, 0, 1);
    const handOut = async (subject: string, certificate: string, version: string) => {
      at += 1_000;
      const detail = JSON.stringify({ certificate, version, as: 'info', address: '192.0.2.1', user_agent: 'curl' });
      const organizationId = world.acme;
      const actor = `deployment:${subject}`;
      await audit.append([{ organizationId, actor, action: 'private-key.hand-out', subject, at, detail }]);
    };
    await handOut(web, certificates[0], 'v1');
    await handOut(other, certificates[1], 'v9');
    await handOut(gone, certificates[0], 'v1');
    await handOut(web, certificates[0], 'v2');
    await deployments.delete('test', gone);
    const list = async (query = '', caller: 'viewer' | 'foreign-owner' = 'viewer') => {
      const path = `/organizations/${world.acme}/certificates/${certificates[0]}/retrievals${query}`;
      return world.request(caller, 'GET', path);
    };
    return { world, web, gone, list };
  }

  test('comes from all its deployments, newest first, also from one that was deleted', async (t) => {
    const { world, web, gone, list } = await furnished(t);
    const expected = [
      [{ id: web, name: 'web-01' }, 'v2', '2026-01-01T00:00:04.000Z'],
      [{ id: gone, name: null }, 'v1', '2026-01-01T00:00:03.000Z'],
      [{ id: web, name: 'web-01' }, 'v1', '2026-01-01T00:00:01.000Z'],
    ];
    const shown = async () => {
      const { json, text } = await list();
      return (json as unknown as Shown).items?.map(({ deployment, version, at }) => [deployment, version, at]) ?? text;
    };
    assert.deepEqual(await shown(), expected);
    assert.equal(await indexLinks(world.application.database), false);
    assert.deepEqual(await shown(), expected);
  });

  test('goes on page by page, and nothing comes twice', async (t) => {
    const { list } = await furnished(t);
    const versions: string[] = [];
    let cursor: string | null = null;
    do {
      const { json } = await list(`?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      const page = json as unknown as Shown;
      versions.push(...page.items.map(({ version }) => version));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(versions, ['v2', 'v1', 'v1']);
  });

  test('is shown to nobody else', async (t) => {
    const { world, list } = await furnished(t);
    assert.equal((await list('', 'foreign-owner')).status, 404);
    const foreign = await world.importCertificate(world.other);
    const path = `/organizations/${world.acme}/certificates/${foreign}/retrievals`;
    assert.equal((await world.request('owner', 'GET', path)).status, 404);
  });
});

onBothDatabases('a search for deployments', (_open, kind) => {
  test('finds them by a part of the name or of a domain, in any case, page by page', async (t) => {
    const world = await openManagementWorld(t, kind);
    const { deployments } = world.application;
    const certificateId = await world.importCertificate();
    for (const name of ['Web-01', '上海机房', 'WEB-02', 'mail']) {
      await deployments.create('test', { certificateId, name, allow: [] });
    }
    const elsewhere = await world.createDeployment(world.other);
    const found = async (search: string) => {
      const names: string[] = [];
      let cursor: unknown = null;
      do {
        const from = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
        const path = `/organizations/${world.acme}/deployments?limit=1&search=${encodeURIComponent(search)}${from}`;
        const { json } = await world.request('viewer', 'GET', path);
        for (const { id, name } of json.items as { id: string; name: string }[]) {
          assert.notEqual(id, elsewhere);
          names.push(name);
        }
        cursor = json.next_cursor;
      } while (typeof cursor === 'string');
      return names;
    };
    assert.deepEqual(await found('web'), ['Web-01', 'WEB-02']);
    assert.deepEqual(await found('机房'), ['上海机房']);
    assert.deepEqual(await found('WWW.example'), ['Web-01', '上海机房', 'WEB-02', 'mail']);
    assert.deepEqual(await found('%'), []);
  });
});
