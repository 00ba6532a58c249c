import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertValues } from '../database/insert-values.testing.ts';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/schema/migrations/list.ts';
import { onBothDatabases } from '../database/testing.ts';
import { filesOf, openCertificateWorld, problem } from './certificate-world.testing.ts';

const own = { organization_id: 'o', former_version: null, created_at: 1, updated_at: 1 };
const certificate = (id: string, state: string, current_version: string | null, versions: number) => ({
  ...{ ...own, id, name: id, state, source: 'imported', current_version, versions },
});
const version = (certificate_id: string, id: string, number: number, domains: readonly string[]) => ({
  ...{ organization_id: 'o', certificate_id, id, number, state: 'issued', domains: JSON.stringify(domains) },
  ...{ chain: '', key_type: '', serial: '', fingerprint: '', issuer: '', subject: '', key_id: 'k' },
  ...{ sealed_key: Buffer.alloc(1), not_before: 1, not_after: 2, created_at: number * 1_000, revoked_at: null },
});

onBothDatabases('certificates from before their names were stored', (open) => {
  test('have the names of their current versions, and stand in the way of an import of the same', async (t) => {
    const database = await open(t, { empty: true });
    const { db } = database;
    await migrate(database, { migrations: migrations.filter(({ id }) => id <= 18) });
    const rows = {
      certificate: [
        certificate('renewed', 'issued', 'v2', 2),
        certificate('plain', 'issued', 'v4', 1),
        certificate('revoked', 'revoked', 'v3', 1),
        certificate('pending', 'pending', null, 0),
      ],
      certificate_version: [
        version('renewed', 'v1', 1, ['old.example']),
        version('renewed', 'v2', 2, ['a.example', 'a.example', '*.b.example', '10.0.0.1']),
        version('revoked', 'v3', 1, ['gone.example']),
        version('plain', 'v4', 1, ['plain.example']),
      ],
    };
    for (const [table, values] of Object.entries(rows)) {
      await insertValues(database, db, table as 'certificate', values as never);
    }
    await migrate(database);

    const names = await db.selectFrom('certificate_name').selectAll().execute();
    assert.deepEqual(names.map(({ certificate_id, name }) => `${certificate_id} ${name}`).sort(), [
      'plain plain.example',
      'renewed *.b.example',
      'renewed 10.0.0.1',
      'renewed a.example',
    ]);
    const current = await db.selectFrom('certificate').select(['id', 'current_since']).orderBy('id').execute();
    assert.deepEqual(
      current.map(({ id, current_since }) => [id, current_since]),
      [
        ['pending', null],
        ['plain', 1_000],
        ['renewed', 2_000],
        ['revoked', 1_000],
      ],
    );
    const remarks = await db.selectFrom('certificate_version').select(['remarks', 'given_root']).execute();
    assert.deepEqual(new Set(remarks.map((row) => JSON.stringify(row))).size, 1, 'none is judged');

    const world = await openCertificateWorld(t, async () => database);
    const { certificates, issue } = world;
    const organization = await db.selectFrom('organization').selectAll().executeTakeFirstOrThrow();
    await db
      .insertInto('organization')
      .values({ ...organization, id: 'o', name: 'Old' })
      .execute();
    const attempt = (...domains: string[]) =>
      certificates.import('test', { organizationId: 'o', files: filesOf(issue({ domains })) });
    const exists = problem('certificate_exists', 'onto', 'same_names');
    await assert.rejects(attempt('a.example', '*.b.example', '10.0.0.1'), exists);
    await assert.rejects(attempt('plain.example'), exists);
    await attempt('gone.example');
    await attempt('old.example');
  });
});
