import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPageCursor } from '../api/page-cursor.ts';
import { onBothDatabases } from '../database/testing.ts';
import { openManagementWorld, sampleFiles } from '../whole-server/management-world.testing.ts';

onBothDatabases('certificates over the management API', (_open, kind) => {
  test("the versions of one come page by page, newest first, and are nobody else's", async (t) => {
    const { request, acme, other, importCertificate } = await openManagementWorld(t, kind);
    const id = await importCertificate();
    for (let version = 2; version <= 5; version += 1) {
      const body = { files: sampleFiles, onto: id };
      assert.equal((await request('developer', 'POST', `/organizations/${acme}/certificates`, { body })).status, 201);
    }
    const path = `/organizations/${acme}/certificates/${id}/versions`;
    const numbers: number[][] = [];
    let query = '?limit=2';
    for (let cursor: unknown = ''; cursor !== null; query = `?limit=2&cursor=${cursor}`) {
      const { json } = await request('viewer', 'GET', path + query);
      numbers.push((json.items as { number: number }[]).map(({ number }) => number));
      cursor = json.next_cursor;
    }
    assert.deepEqual(numbers, [[5, 4], [3, 2], [1]]);
    for (const position of ['["x"]', '["2147483648"]', '["999999999999999"]', '["1","1"]']) {
      const cursor = formatPageCursor('listCertificateVersions', position);
      assert.equal((await request('viewer', 'GET', `${path}?cursor=${cursor}`)).json.field, 'cursor', position);
    }
    const foreign = `/organizations/${other}/certificates/${id}/versions`;
    assert.equal((await request('foreign-owner', 'GET', foreign)).status, 404);
  });
});
