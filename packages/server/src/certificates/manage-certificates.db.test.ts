import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import { readImport } from '@waxwing/pki/read-import.ts';
import { onBothDatabases } from '../database/testing.ts';
import { SealError } from '../secrets/envelope.ts';
import { getKnownCertificate } from './certificate-lookup.ts';
import { type CertificateWorld, openCertificateWorld, problem } from './certificate-world.testing.ts';
import { openPrivateKey, readHandOutCertificates } from './hand-out.ts';
import { sealedPrivateKeys } from './sealed-keys.ts';

async function actions({ audit }: CertificateWorld, subject: string): Promise<string[]> {
  return (await audit.list({ subject, limit: 100 })).map((entry) => entry.action).toReversed();
}

/** Copies that differ in ids and names (`copy 0000` and so on), the last with other domains. */
async function copyCertificate(world: CertificateWorld, count: number, { last }: { last: string }): Promise<void> {
  const { db } = world.database;
  const { id } = await world.import(world.issue({}));
  const certificate = await db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const version = await db.selectFrom('certificate_version').selectAll().executeTakeFirstOrThrow();
  await db.deleteFrom('certificate').execute();
  await db.deleteFrom('certificate_version').execute();
  const numbers = Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'));
  for (const part of chunks(numbers, 100)) {
    const ids = (n: string) => ({ certificate: `c${n}`, version: `v${n}` });
    await db
      .insertInto('certificate')
      .values(
        part.map((n) => ({
          ...certificate,
          id: ids(n).certificate,
          current_version: ids(n).version,
          name: `copy ${n}`,
        })),
      )
      .execute();
    await db
      .insertInto('certificate_version')
      .values(
        part.map((n) => ({
          ...version,
          id: ids(n).version,
          certificate_id: ids(n).certificate,
          ...(n === numbers.at(-1) && { domains: last }),
        })),
      )
      .execute();
  }
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
}

onBothDatabases('certificates', (open) => {
  test('a list goes through all of them page by page, in the order they were made, also for one organization', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, otherOrganizationId } = world;
    const leaf = world.issue({});
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.push((await world.import(leaf)).id);
    const pages: string[][] = [];
    for (let after: string | undefined; ; ) {
      const page = await certificates.list({ limit: 3, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
      after = page.at(-1)?.id;
    }
    assert.deepEqual(
      pages.map((page) => page.length),
      [3, 3, 1],
    );
    assert.deepEqual(pages.flat(), made);
    assert.equal((await certificates.list({ organizationId: world.organizationId, limit: 10 })).length, 7);
    assert.deepEqual(await certificates.list({ organizationId: otherOrganizationId, limit: 10 }), []);
    const [first] = await certificates.list({ limit: 1 });
    assert.deepEqual([first?.domains, first?.expires_at], [['example.com'], new Date(leaf.notAfter).toISOString()]);
  });

  test('a search looks at a bounded part of them, less of those with many names, and goes on behind it', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database } = world;
    await copyCertificate(world, 1_100, { last: '["needle.example"]' });
    assert.deepEqual(await certificates.search({ limit: 51 }, 'Example.COM').then(({ rows }) => rows.length), 51);
    const first = await certificates.search({ limit: 51 }, 'NEEDLE.ex');
    assert.deepEqual([first.rows, first.reached?.name], [[], 'copy 0999']);
    const rest = await certificates.search({ limit: 51, after: first.reached?.id ?? '' }, 'NEEDLE.ex');
    assert.deepEqual([rest.rows.map(({ name }) => name), rest.reached], [['copy 1099'], undefined]);
    const { rows } = await certificates.search({ limit: 51, after: first.reached?.id ?? '' }, 'Y 1099');
    assert.equal(rows.length, 1, 'by its name');
    const afterFirst = { limit: 51, after: first.reached?.id ?? '' };
    for (const search of ['%', '_', '","', '["']) {
      assert.deepEqual(await certificates.search(afterFirst, search), { rows: [] }, search);
    }
    const domains = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => `${n}.${'a.'.repeat(20)}example`));
    await database.db.updateTable('certificate_version').set({ domains }).execute();
    const large = await certificates.search({ limit: 51 }, `${'a.'.repeat(60)}zz`);
    assert.deepEqual([large.rows, large.reached?.name], [[], 'copy 0101']);
  });

  test('one is shown with its newest versions, each list tells the first hundred domains, and the rest is a page away', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database } = world;
    const domains = Array.from({ length: 150 }, (_, n) => `n${n}.example.com`);
    const { id, version: first } = await world.import(world.issue({ domains }));
    const { db } = database;
    const row = await db.selectFrom('certificate_version').selectAll().executeTakeFirstOrThrow();
    const more = Array.from({ length: 119 }, (_, n) => ({ ...row, id: `v${n + 2}`, number: n + 2 }));
    for (const part of chunks(more, 100)) await db.insertInto('certificate_version').values(part).execute();
    await db
      .updateTable('certificate')
      .set({ current_version: 'v120', former_version: 'v119', versions: 120 })
      .execute();

    const shown = await certificates.show(id);
    assert.deepEqual([shown.domains, shown.domain_count], [domains, 150], 'all of its own');
    assert.deepEqual(
      shown.versions.map(({ number, place }) => [number, place]).filter((_, at) => [0, 1, 2, 49, 50].includes(at)),
      [
        [120, 'current'],
        [119, 'former'],
        [118, 'history'],
        [71, 'history'],
      ],
    );
    const rest = await certificates.listVersions(id, { before: 71, limit: 100 });
    assert.deepEqual([rest.length, rest[0]?.number, rest.at(-1)?.id], [70, 70, first]);
    assert.deepEqual(await certificates.listVersions(id, { before: 1, limit: 100 }), []);
    const { rows: found } = await certificates.search({ limit: 1 }, 'n149.');
    for (const each of [shown.versions[0], rest[0], (await certificates.list({ limit: 1 }))[0], found[0]]) {
      assert.deepEqual([each?.domains, each?.domain_count], [domains.slice(0, 100), 150]);
    }
    await assert.rejects(certificates.listVersions('none', { limit: 1 }), problem('not_found', 'certificate'));

    // Also tells about a revoked old version that is not shown.
    await certificates.revoke('test', id, first);
    const exported = await certificates.export('test', { id, version: first, format: 'pem' });
    assert.equal(exported.revoked, true);
    assert.equal((await certificates.exportChain({ id, version: first, format: 'pem' })).revoked, true);
    assert.equal((await certificates.exportChain({ id, format: 'pem' })).revoked, false);
  });

  test('the domains of one that has none yet are none', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({}));
    await world.database.db.updateTable('certificate').set({ state: 'pending', current_version: null }).execute();
    await world.database.db.deleteFrom('certificate_version').execute();
    const { domains, domain_count, versions } = await world.certificates.show(id);
    assert.deepEqual([domains, domain_count, versions], [[], 0, []]);
  });

  test('a chain is shown link by link, as servers get it', async (t) => {
    const world = await openCertificateWorld(t, open);
    const leaf = world.issue({});
    const { id, version } = await world.import(leaf);
    const shown = await world.certificates.showChain({ id });
    assert.equal(shown.version, version);
    const { files } = await world.certificates.exportChain({ id, format: 'pem' });
    const blocks = files[0]?.bytes.toString().match(/-----BEGIN CERTIFICATE-----/g) ?? [];
    assert.equal(shown.links.length, blocks.length);
    assert.deepEqual(shown.links[0]?.alternativeNames.domains, ['example.com']);
    assert.equal(shown.links[0]?.notAfter, leaf.notAfter);
    await assert.rejects(world.certificates.showChain({ id, version: 'none' }), problem('not_found', 'version'));
  });

  test('revoking is final, recorded once, and known to every node', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, feed, database } = world;
    const { id } = await world.import(world.issue({}));
    await feed.sync();
    const heard: unknown[] = [];
    feed.listen((changes) => heard.push(changes));
    assert.deepEqual(await certificates.revoke('test', id), {
      id,
      version: null,
      state: 'revoked',
      authority_told: null,
    });
    assert.deepEqual(heard, [[{ kind: 'certificate', subjectId: id }]]);
    await assert.rejects(certificates.revoke('test', id), problem('conflict', 'certificate', 'certificate_revoked'));
    await assert.rejects(certificates.revoke('test', 'unknown'), problem('not_found', 'certificate'));
    const known = await getKnownCertificate(database.db, id, 'certificate');
    assert.deepEqual([known.retrievable, known.state], [false, 'revoked']);
    assert.deepEqual(await actions(world, id), ['certificate.import', 'certificate.revoke']);
  });

  test('of two who revoke at once one succeeds', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({}));
    const both = await Promise.allSettled([
      world.certificates.revoke('test', id),
      world.certificates.revoke('test', id),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(await actions(world, id), ['certificate.import', 'certificate.revoke']);
  });

  test('a revoked version is withheld alone; a new version makes the certificate retrievable again', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database } = world;
    const { id, version } = await world.import(world.issue({}));
    const stranger = await world.import(world.issue({}));
    assert.deepEqual(await certificates.revoke('test', id, version), {
      id,
      version,
      state: 'revoked',
      authority_told: null,
    });
    await assert.rejects(certificates.revoke('test', id, version), problem('conflict', 'version', 'version_revoked'));
    await assert.rejects(certificates.revoke('test', id, stranger.version), problem('not_found', 'version'));
    assert.equal((await getKnownCertificate(database.db, id, 'certificate')).retrievable, false);
    const [withheld] = await readHandOutCertificates(database.db, [id]);
    assert.deepEqual([withheld?.state, withheld?.current?.revoked], ['issued', true]);
    const states = async () =>
      [await certificates.show(id), ...(await certificates.list({ limit: 1 }))].map(({ state, version_state }) => [
        state,
        version_state,
      ]);
    assert.deepEqual(await states(), [
      ['issued', 'revoked'],
      ['issued', 'revoked'],
    ]);
    const next = await world.import(world.issue({}), id);
    assert.deepEqual(await states(), [
      ['issued', 'issued'],
      ['issued', 'issued'],
    ]);
    const known = await getKnownCertificate(database.db, id, 'certificate');
    assert.deepEqual([known.retrievable, known.state], [true, 'issued']);
    const { versions } = await certificates.show(id);
    assert.deepEqual(
      versions.map((each) => [each.id, each.state, each.place, each.revoked_at !== null]),
      [
        [next.version, 'issued', 'current', false],
        [version, 'revoked', 'former', true],
      ],
    );
  });

  test('one is exported in every form with chain and key, and each time it is on record before it leaves', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const leaf = world.issue({ domains: ['*.example.com'] });
    const first = await world.import(leaf);
    await world.import(world.issue({ domains: ['*.example.com'] }), first.id);
    const { id, version } = first;
    const exportAs = (format: 'pem' | 'der' | 'pkcs12', password?: string) =>
      certificates.export('test', { id, version, format, password });

    const pem = await exportAs('pem');
    assert.deepEqual(
      pem.files.map(({ name, bytes, secret }) => [name, bytes.toString(), secret]),
      [
        ['_.example.com.crt', leaf.chainPem, false],
        ['_.example.com.key', leaf.keyPem, true],
      ],
    );
    const [certificate, key] = (await exportAs('der')).files;
    assert.equal(new X509Certificate(certificate?.bytes ?? '').serialNumber, leaf.serial);
    const derKey = createPrivateKey({ key: key?.bytes ?? Buffer.of(), format: 'der', type: 'pkcs8' });
    assert.ok(derKey.equals(leaf.key));
    await assert.rejects(exportAs('pkcs12'), problem('invalid_parameter', 'password'));
    const [p12] = (await exportAs('pkcs12', 'correct horse')).files;
    const read = await readImport({
      files: [{ name: 'x.p12', bytes: p12?.bytes ?? Buffer.of() }],
      password: 'correct horse',
      now: leaf.notBefore + 1_000,
    });
    assert.ok('material' in read, JSON.stringify(read));
    assert.deepEqual([read.material.chain, privateKeyPem(read.material.privateKey)], [leaf.chainPem, leaf.keyPem]);

    const entries = await world.audit.list({ subject: id, limit: 100 });
    const exports = entries.filter((entry) => entry.action === 'private-key.export').toReversed();
    assert.deepEqual(
      exports.map((entry) => JSON.parse(entry.detail)),
      ['pem', 'der', 'pkcs12'].map((format) => ({ version, format })),
    );
  });

  test('when the record cannot be written nothing is exported; what does not exist is named', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id } = await world.import(world.issue({}));
    const { certificates, database } = world;
    await assert.rejects(certificates.export('test', { id: 'x', format: 'pem' }), problem('not_found', 'certificate'));
    await assert.rejects(
      certificates.export('test', { id, version: 'x', format: 'pem' }),
      problem('not_found', 'version'),
    );
    await assert.rejects(certificates.show('x'), problem('not_found', 'certificate'));
    await database.db.deleteFrom('audit_head').execute();
    await assert.rejects(certificates.export('test', { id, format: 'pem' }));
  });

  test('a sealed key moved to another row opens nowhere, and the check names that row', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { database, feed } = world;
    const [one, other] = [await world.import(world.issue({})), await world.import(world.issue({}))];
    const store = sealedPrivateKeys(database, feed);
    assert.deepEqual(await store.check(world.ring()), { sealed: 2, faults: [] });
    const { sealed_key } = await database.db
      .selectFrom('certificate_version')
      .select('sealed_key')
      .where('id', '=', one.version)
      .executeTakeFirstOrThrow();
    await database.db.updateTable('certificate_version').set({ sealed_key }).where('id', '=', other.version).execute();
    const [moved] = await readHandOutCertificates(database.db, [other.id]);
    assert.ok(moved?.current !== undefined);
    assert.throws(() => openPrivateKey(world.ring(), moved.current as never), SealError);
    const { sealed, faults } = await store.check(world.ring());
    assert.deepEqual([sealed, faults.length], [2, 1]);
    assert.ok(faults[0]?.includes(other.version));
    await assert.rejects(world.certificates.export('test', { id: other.id, format: 'pem' }), SealError);
  });

  test('re-wrapping goes through all of them in chunks, tells every node, and stops at a key that does not open', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { database, feed } = world;
    const made: { version: string }[] = [];
    for (let n = 0; n < 5; n += 1) made.push(await world.import(world.issue({})));
    const store = sealedPrivateKeys(database, feed);
    const former = world.ring().current.id;
    assert.equal(await store.rewrap(world.ring(), 2), 0);
    await world.changeMasterKey();
    assert.deepEqual(await store.keysInUse(database.db), [former]);
    await feed.sync();
    const heard: unknown[] = [];
    feed.listen((changes) => heard.push(...(changes ?? ['everything'])));
    assert.equal(await store.rewrap(world.ring(), 2), 2);
    assert.equal(heard.length, 2);
    assert.deepEqual((await store.keysInUse(database.db)).sort(), [former, world.ring().current.id].sort());
    await database.db
      .updateTable('certificate_version')
      .set({ sealed_key: Buffer.alloc(200, 1) })
      .where('id', '=', made[4]?.version ?? '')
      .execute();
    assert.equal(await store.rewrap(world.ring(), 2), 2);
    await assert.rejects(store.rewrap(world.ring(), 2), (error: Error) => {
      problem('conflict')(error);
      return error.message.includes(made[4]?.version ?? '-');
    });
    const current = world.ring().current;
    const { faults } = await store.check({ current, keys: [current] });
    assert.equal(faults.length, 1);
  });
});
