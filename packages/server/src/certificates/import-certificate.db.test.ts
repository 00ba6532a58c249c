import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { TrialCertificate } from '@waxwing/pki/trial-ca.testing.ts';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';
import { lockOrganization } from '../organizations/organization.ts';
import { Problem } from '../runtime/problem.ts';
import { type CertificateWorld, filesOf, openCertificateWorld, problem } from './certificate-world.testing.ts';
import { openPrivateKey, readHandOutCertificates, readHandOutVersions } from './hand-out.ts';
import type { Turn } from './read-material.ts';

const tables = [
  'certificate',
  'certificate_version',
  'audit_entry',
  'audit_link',
  'change_log',
  'deployment',
  'token',
  'organization',
  'master_key',
  'instance_fact',
] as const;

async function rowCounts({ database }: CertificateWorld): Promise<number[]> {
  const counts: number[] = [];
  for (const table of tables) counts.push((await database.db.selectFrom(table).selectAll().execute()).length);
  return counts;
}

/** Lets work go on until the condition holds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

/** Retrieval's current hand-out, with the key in clear. */
async function handedOut({ database, ring }: CertificateWorld, id: string) {
  const [certificate] = await readHandOutCertificates(database.db, [id]);
  assert.ok(certificate?.current !== undefined);
  return { certificate, chain: certificate.current.chain, key: openPrivateKey(ring(), certificate.current) };
}

/** Until a statement on the database waits for a row that another one has locked. On SQLite writers wait elsewhere. */
async function untilLockWaits({ dialect, db }: Database): Promise<void> {
  if (dialect === 'sqlite') return;
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await waiting.execute(db)).rows.length === 0);
}

onBothDatabases('importing a certificate', (open) => {
  test('holds the master key only with its organization: who has that may lock the key', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { database, organizationId, ring } = world;
    const { id } = await world.import(world.issue({}));
    let attempt: Promise<unknown> | undefined;
    await database.transaction(async (trx) => {
      await lockOrganization(trx, database, organizationId);
      attempt = world.import(world.issue({}), id);
      await untilLockWaits(database);
      assert.ok(await lockSealingKey(trx, ring().current.id));
    });
    await attempt;
    assert.equal((await world.certificates.show(id)).versions.length, 2);
  });

  test('makes one that is handed out as it came, recorded and told to every node', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, organizationId, audit, feed } = world;
    await feed.sync();
    const heard: unknown[] = [];
    feed.listen((changes) => heard.push(changes));
    const leaf = world.issue({ domains: ['*.example.com', 'example.com', '192.0.2.7'] });
    const imported = await world.import(leaf);
    assert.deepEqual(
      { ...imported, id: '', version: '' },
      {
        id: '',
        version: '',
        number: 1,
        domains: ['*.example.com', 'example.com', '192.0.2.7'],
        notAfter: leaf.notAfter,
        warnings: [],
      },
    );
    assert.deepEqual(heard, [[{ kind: 'certificate', subjectId: imported.id }]]);
    const out = await handedOut(world, imported.id);
    assert.deepEqual([out.chain, out.key], [leaf.chainPem, leaf.keyPem]);
    const shown = await certificates.show(imported.id);
    assert.deepEqual(
      [shown.name, shown.state, shown.source, shown.version, shown.organization_id],
      ['*.example.com', 'issued', 'imported', imported.version, organizationId],
    );
    assert.equal(shown.expires_at, new Date(leaf.notAfter).toISOString());
    assert.deepEqual(
      shown.versions.map(({ number, place, state, serial, key_type }) => [number, place, state, serial, key_type]),
      [[1, 'current', 'issued', leaf.serial, 'EC P-256']],
    );
    const [entry] = await audit.list({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['certificate.import', imported.id]);
    assert.deepEqual(Object.keys(JSON.parse(entry?.detail ?? '')), [
      'version',
      'number',
      'domains',
      'domain_count',
      'fingerprint_sha256',
    ]);
    assert.deepEqual((await audit.verify()).faults, []);
  });

  test('onto one makes the next version; the one before stays within reach, older ones are history', async (t) => {
    const world = await openCertificateWorld(t, open);
    const leaves = [world.issue({}), world.issue({}), world.issue({})];
    const first = await world.import(leaves[0] as TrialCertificate);
    const later = [];
    for (const leaf of leaves.slice(1)) later.push(await world.import(leaf, first.id));
    assert.deepEqual(
      later.map(({ id, number }) => [id, number]),
      [
        [first.id, 2],
        [first.id, 3],
      ],
    );
    const { versions } = await world.certificates.show(first.id);
    assert.deepEqual(
      versions.map(({ id, number, place }) => [id, number, place]),
      [
        [later[1]?.version, 3, 'current'],
        [later[0]?.version, 2, 'former'],
        [first.version, 1, 'history'],
      ],
    );
    const out = await handedOut(world, first.id);
    assert.equal(out.key, leaves[2]?.keyPem);
    assert.equal(out.certificate.formerId, later[0]?.version);
    const [former] = await readHandOutVersions(world.database.db, [later[0]?.version ?? '']);
    assert.ok(former !== undefined);
    assert.deepEqual([former.chain, openPrivateKey(world.ring(), former)], [leaves[1]?.chainPem, leaves[1]?.keyPem]);
  });

  test('many onto one at the same time get numbers of their own, and one of them is current', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({}));
    const imported = await Promise.all(Array.from({ length: 8 }, () => world.import(world.issue({}), id)));
    assert.deepEqual(imported.map(({ number }) => number).sort(), [2, 3, 4, 5, 6, 7, 8, 9]);
    const byNumber = new Map(imported.map(({ number, version }) => [number, version]));
    const { version, versions } = await world.certificates.show(id);
    assert.equal(version, byNumber.get(9));
    assert.deepEqual(versions.map(({ number, place }) => [number, place]).slice(0, 3), [
      [9, 'current'],
      [8, 'former'],
      [7, 'history'],
    ]);
    assert.deepEqual((await world.audit.verify()).faults, []);
  });

  test('domains that the new version no longer covers are a warning', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({ domains: ['a.example', 'b.example', 'c.example'] }));
    const same = await world.import(world.issue({ domains: ['c.example', 'a.example', 'b.example'] }), id);
    assert.deepEqual(same.warnings, []);
    const fewer = await world.import(world.issue({ domains: ['b.example', 'd.example'] }), id);
    assert.equal(fewer.warnings.length, 1);
    assert.match(fewer.warnings[0]?.message ?? '', /also covered c\.example, a\.example; this one does not/);
  });

  test('many names are compared as a whole, and the audit trail holds the first ten and their count', async (t) => {
    const world = await openCertificateWorld(t, open);
    const names = (count: number, zone: string) => Array.from({ length: count }, (_, n) => `n${n}.${zone}`);
    const { id } = await world.import(world.issue({ domains: names(1_000, 'a.example') }));
    const leaf = world.issue({ domains: names(999, 'b.example') });
    const { warnings } = await world.import(leaf, id);
    assert.equal(warnings[0]?.message.split(', ').length, 1_000);
    const [entry] = await world.audit.list({ limit: 1 });
    const detail = JSON.parse(entry?.detail ?? '') as { domains: string[]; domain_count: number };
    assert.deepEqual([detail.domains, detail.domain_count], [names(10, 'b.example'), 999]);
  });

  test('what cannot take it is refused by name, and nothing is stored', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, organizationId, otherOrganizationId } = world;
    const own = await world.import(world.issue({}));
    const revoked = await world.import(world.issue({}));
    await certificates.revoke('test', revoked.id);
    const before = await rowCounts(world);
    const files = filesOf(world.issue({}));
    const attempt = (request: object) => certificates.import('test', { organizationId, files, ...request });
    await assert.rejects(attempt({ organizationId: 'unknown' }), problem('not_found', 'organization'));
    await assert.rejects(attempt({ onto: 'unknown' }), problem('not_found', 'onto'));
    await assert.rejects(attempt({ onto: own.id, organizationId: otherOrganizationId }), problem('not_found', 'onto'));
    await assert.rejects(attempt({ onto: revoked.id }), problem('conflict', 'onto', 'not_issued'));
    for (const name of ['', ' ', 'a\nb', 'a\0b', 'x'.repeat(201)]) {
      await assert.rejects(attempt({ name }), problem('invalid_parameter', 'name'));
    }
    assert.deepEqual(await rowCounts(world), before);
  });

  test('onto one that is revoked at that very moment it is refused, or it came first', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({}));
    const [imported, revoked] = await Promise.allSettled([
      world.import(world.issue({}), id),
      world.certificates.revoke('test', id),
    ]);
    assert.equal(revoked.status, 'fulfilled');
    const { state, versions } = await world.certificates.show(id);
    assert.deepEqual([state, versions.length], ['revoked', imported.status === 'fulfilled' ? 2 : 1]);
    if (imported.status === 'rejected') problem('conflict', 'onto')(imported.reason);
  });

  test('faults of the material are all listed, and no table has changed', async (t) => {
    const world = await openCertificateWorld(t, open);
    const target = await world.import(world.issue({}));
    const before = await rowCounts(world);
    const day = 86_400_000;
    const now = Date.UTC(2026, 0, 1);
    const expired = world.issue({ notBefore: now - 9 * day, notAfter: now - day, domains: [] });
    const materials: readonly [files: ReturnType<typeof filesOf>, faults: number][] = [
      [[{ name: 'x', bytes: Buffer.from('garbage') }], 1],
      [[], 1],
      [[{ name: 'x', bytes: Buffer.alloc(256 * 1024 + 1) }], 1],
      [filesOf({ ...world.issue({}), keyPem: world.issue({}).keyPem }), 1],
      [filesOf({ ...expired, keyPem: world.issue({}).keyPem }), 2],
      [filesOf(world.issue({ spoiled: true })).slice(0, 1), 1],
    ];
    for (const [files, atLeast] of materials) {
      for (const onto of [undefined, target.id]) {
        const importing = world.certificates.import('test', { organizationId: world.organizationId, files, onto });
        await assert.rejects(importing, (error) => {
          assert.ok(error instanceof Problem);
          assert.equal(error.code, 'certificate_rejected');
          assert.ok(error.faults.length >= atLeast, JSON.stringify(error.faults));
          return true;
        });
      }
    }
    assert.deepEqual(await rowCounts(world), before);
  });

  test('one is read at a time; beyond a few of an organization they are refused, and whoever has left is passed over', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, organizationId, turns } = world;
    const { id } = await world.import(world.issue({}));
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const costly = turns.run(() => promise, organizationId);
    const left = new AbortController();
    const attempt = (turn?: Turn) =>
      certificates.import('test', { organizationId, files: filesOf(world.issue({})), onto: id, turn });
    const leaving = attempt({ signal: left.signal, begin: () => assert.fail('its turn never comes') });
    const waiting = Array.from({ length: 6 }, () => attempt());
    const written = certificates.export('test', { id, format: 'pkcs12', password: 'trial' });
    await until(() => turns.busy === 9);
    await assert.rejects(attempt(), (error) => {
      problem('service_unavailable')(error);
      return (error as Problem).retryAfterSeconds === 5;
    });
    assert.equal((await certificates.export('test', { id, format: 'pem' })).files.length, 2, 'costs nothing');
    assert.equal((await certificates.show(id)).versions.length, 1, 'none has begun');
    left.abort(new Problem('invalid_request'));
    await assert.rejects(leaving, problem('invalid_request'));
    assert.equal(turns.busy, 8);
    end();
    await Promise.all([costly, written, ...waiting]);
    assert.deepEqual([(await certificates.show(id)).versions.length, turns.busy], [7, 0]);
  });

  test('whoever may no longer when the turn has come imports nothing and gets no key', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, organizationId } = world;
    const { id } = await world.import(world.issue({}));
    const before = await rowCounts(world);
    const refused = () => Promise.reject(new Problem('unauthenticated'));
    const turn = { signal: new AbortController().signal, begin: refused };
    const files = filesOf(world.issue({}));
    await assert.rejects(certificates.import('test', { organizationId, files, turn }), problem('unauthenticated'));
    const exporting = certificates.export('test', { id, format: 'pkcs12', password: 'trial', turn });
    await assert.rejects(exporting, problem('unauthenticated'));
    assert.deepEqual(await rowCounts(world), before);
  });

  test('the key is sealed by the key in use when it is written, and by no key that was retired meanwhile', async (t) => {
    const world = await openCertificateWorld(t, open);
    const first = await world.import(world.issue({}));
    await world.changeMasterKey();
    const second = await world.import(world.issue({}));
    const rows = await world.database.db.selectFrom('certificate_version').select(['id', 'key_id']).execute();
    const keyOf = new Map(rows.map((row) => [row.id, row.key_id]));
    assert.equal(keyOf.get(second.version), world.ring().current.id);
    assert.notEqual(keyOf.get(first.version), keyOf.get(second.version));
    const before = await rowCounts(world);
    // Another server has ended a rotation, unknown to this one.
    await world.changeMasterKey(true);
    await assert.rejects(world.import(world.issue({})), problem('service_unavailable'));
    const after = await rowCounts(world);
    assert.deepEqual(after.slice(0, 5), before.slice(0, 5));
  });
});

test('the key of an import that failed appears nowhere: not in the error, not in the files of the database', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.after(() => fresh.close());
  const world = await openCertificateWorld(t, async () => fresh.database);
  const good = world.issue({});
  await world.import(good);
  const leaf = world.issue({});
  const lines = [good, leaf].flatMap(({ keyPem }) =>
    keyPem.split('\n').filter((line) => /^[A-Za-z0-9+/=]{20,}$/.test(line)),
  );
  const bad = filesOf({ ...leaf, chainPem: world.issue({}).chainPem });
  const thrown = await world.certificates
    .import('test', { organizationId: world.organizationId, files: bad })
    .catch((error: unknown) => inspect(error, { depth: 9, showHidden: true }));
  await sql`pragma wal_checkpoint(full)`.execute(fresh.database.db).catch(() => {});
  assert.ok(fresh.options.kind === 'sqlite');
  const stored = await Promise.all(
    ['', '-wal'].map((suffix) =>
      readFile(`${(fresh.options as { file: string }).file}${suffix}`, 'latin1').catch(() => ''),
    ),
  );
  assert.ok(stored.join('').includes('example.com'), 'the certificate that was accepted is there');
  for (const line of lines) {
    assert.ok(!stored.join('').includes(line));
    assert.ok(!String(thrown).includes(line));
  }
});
