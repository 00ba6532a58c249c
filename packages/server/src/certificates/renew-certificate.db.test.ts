import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrialCertificate } from '@waxwing/pki/trial-ca.testing.ts';
import { insertValues } from '../database/insert-values.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import type { Problem } from '../runtime/problem.ts';
import { type CertificateWorld, filesOf, openCertificateWorld, problem } from './certificate-world.testing.ts';
import type { ImportRequest } from './import-certificate.ts';

type Wishes = Partial<Omit<ImportRequest, 'files'>>;

/** As a person imports who knows nothing of what is there. */
function attempt({ certificates, organizationId, ca }: CertificateWorld, leaf: TrialCertificate, wishes: Wishes = {}) {
  const root = { name: 'root.pem', bytes: Buffer.from(ca.certificatePem) };
  return certificates.import('test', { organizationId, files: [...filesOf(leaf), root], ...wishes });
}

const issue = (world: CertificateWorld, ...domains: string[]) => world.issue({ domains });

/** For `assert.rejects`: refused in favour of this certificate. */
function exists(id: string, reason: string): (error: unknown) => true {
  return (error) => {
    problem('certificate_exists', 'onto', reason)(error);
    assert.equal((error as Problem).parameters.id, id);
    assert.match((error as Problem).message, new RegExp(`certificate import … --onto ${id}`));
    return true;
  };
}

const storedNames = async ({ database }: CertificateWorld, id: string) =>
  (
    await database.db
      .selectFrom('certificate_name')
      .select('name')
      .where('certificate_id', '=', id)
      .orderBy('name')
      .execute()
  ).map(({ name }) => name);

onBothDatabases('a certificate whose names exist already', (open) => {
  test('is refused with the one that has them, and stored onto it or as one of its own', async (t) => {
    const world = await openCertificateWorld(t, open);
    const first = await attempt(world, issue(world, 'a.example', 'b.example'));
    const again = issue(world, 'b.example', 'a.example');
    await assert.rejects(attempt(world, again), exists(first.id, 'same_names'));
    const renewed = await attempt(world, again, { onto: first.id });
    assert.deepEqual([renewed.id, renewed.number], [first.id, 2]);
    const other = await attempt(world, again, { separate: true });
    assert.notEqual(other.id, first.id);
    await assert.rejects(attempt(world, again), exists(other.id, 'same_names'), 'the newer of the two');
    world.deploy(first.id);
    await assert.rejects(attempt(world, again), exists(first.id, 'same_names'), 'the one that servers fetch');
  });

  test('of one moment, one is stored, and all others are refused with that one', async (t) => {
    const world = await openCertificateWorld(t, open);
    const leaves = Array.from({ length: 8 }, () => issue(world, 'a.example', 'b.example'));
    const outcomes = await Promise.allSettled(leaves.map((leaf) => attempt(world, leaf)));
    const stored = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []));
    assert.equal(stored.length, 1);
    for (const each of outcomes) if (each.status === 'rejected') exists(stored[0] ?? '', 'same_names')(each.reason);
    assert.equal((await world.database.db.selectFrom('certificate').select('id').execute()).length, 1);
    assert.equal((await world.database.db.selectFrom('certificate_version').select('id').execute()).length, 1);
  });

  test('is refused where one set of names contains the other, and not where they merely overlap', async (t) => {
    const world = await openCertificateWorld(t, open);
    const first = await attempt(world, issue(world, 'a.example', 'b.example'));
    await assert.rejects(attempt(world, issue(world, 'a.example')), exists(first.id, 'more_names'));
    const wider = issue(world, 'c.example', 'b.example', 'a.example');
    await assert.rejects(attempt(world, wider), exists(first.id, 'fewer_names'));
    const overlapping = await attempt(world, issue(world, 'b.example', 'c.example'));
    await attempt(world, issue(world, 'd.example'));
    await assert.rejects(attempt(world, wider), exists(overlapping.id, 'fewer_names'), 'the newer of two that fit');
    world.deploy(first.id);
    await assert.rejects(attempt(world, wider), exists(first.id, 'fewer_names'), 'the one that servers fetch');
    await attempt(world, wider, { separate: true });
    await assert.rejects(attempt(world, wider), problem('certificate_exists', 'onto', 'same_names'));
  });

  test('is found by the names of the current version: after a renewal, a return, a revocation and a deletion', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const first = await attempt(world, issue(world, 'a.example', 'b.example'));
    const renewed = await attempt(world, issue(world, 'c.example'), { onto: first.id });
    assert.deepEqual(await storedNames(world, first.id), ['c.example']);
    await assert.rejects(attempt(world, issue(world, 'c.example')), exists(first.id, 'same_names'));
    await certificates.activate('test', first.id, first.version);
    assert.deepEqual(await storedNames(world, first.id), ['a.example', 'b.example']);
    await certificates.revoke('test', first.id, renewed.version);
    assert.deepEqual(await storedNames(world, first.id), ['a.example', 'b.example']);
    const other = await attempt(world, issue(world, 'c.example'));
    await certificates.delete('test', other.id);
    assert.deepEqual(await storedNames(world, other.id), []);
    await certificates.revoke('test', first.id);
    assert.deepEqual(await storedNames(world, first.id), []);
    await attempt(world, issue(world, 'a.example', 'b.example'));
  });

  test('in another organization are none of its business', async (t) => {
    const world = await openCertificateWorld(t, open);
    await attempt(world, issue(world, 'a.example'));
    await attempt(world, issue(world, 'a.example'), { organizationId: world.otherOrganizationId });
  });

  test('wishes that contradict each other are refused', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id: onto } = await attempt(world, issue(world, 'a.example'));
    const leaf = issue(world, 'a.example');
    await assert.rejects(attempt(world, leaf, { onto, separate: true }), problem('invalid_parameter', 'separate'));
    await assert.rejects(attempt(world, leaf, { onto, name: 'New' }), problem('invalid_parameter', 'name'));
    assert.equal((await attempt(world, leaf, { onto, separate: false })).number, 2);
  });

  test('does not take names from an enabled deployment unless that is confirmed', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { id: onto } = await attempt(world, issue(world, 'a.example', 'b.example', 'c.example'));
    const fewer = issue(world, 'b.example', 'd.example');
    world.deploy(onto);
    await assert.rejects(attempt(world, fewer, { onto }), (error) => {
      problem('names_lost', 'confirm_lost_names', 'deployed')(error);
      assert.deepEqual((error as Problem).parameters, {
        count: '1',
        name: 'a.example',
        names: 'a.example, c.example',
      });
      return true;
    });
    const { versions } = await world.certificates.show(onto);
    assert.equal(versions.length, 1);
    const confirmed = await attempt(world, fewer, { onto, confirmLostNames: true });
    assert.match(confirmed.warnings[0]?.message ?? '', /also covered a\.example, c\.example; this one does not/);
    world.undeploy(onto);
    assert.equal((await attempt(world, issue(world, 'x.example'), { onto })).number, 3, 'nobody fetches it');
  });
});

onBothDatabases('another version of a certificate', (open) => {
  test('becomes the current one, and the one that it replaces the one before', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, feed } = world;
    const first = await world.import(issue(world, 'a.example'));
    const second = await world.import(issue(world, 'a.example'), first.id);
    const third = await world.import(issue(world, 'a.example'), first.id);
    await feed.sync();
    const heard: unknown[] = [];
    feed.listen((changes) => heard.push(changes));
    const places = async () =>
      (await certificates.show(first.id)).versions.map(({ number, place }) => `${number} ${place}`);
    const shown = await certificates.activate('test', first.id, second.version);
    assert.deepEqual([shown.version, shown.expires_at], [second.version, new Date(second.notAfter).toISOString()]);
    assert.deepEqual(await places(), ['3 former', '2 current', '1 history']);
    assert.deepEqual(heard, [[{ kind: 'certificate', subjectId: first.id }]]);
    const [entry] = await world.audit.list({ limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.subject, JSON.parse(entry?.detail ?? '')],
      [
        'certificate.activate',
        first.id,
        { version: second.version, number: 2, replaced: { version: third.version, number: 3 } },
      ],
    );
    await certificates.activate('test', first.id, first.version);
    assert.deepEqual(await places(), ['3 history', '2 former', '1 current']);
    await certificates.activate('test', first.id, third.version);
    assert.deepEqual(await places(), ['3 current', '2 history', '1 former']);
    assert.equal((await world.import(issue(world, 'a.example'), first.id)).number, 4, 'numbers go on');
  });

  test('is shown with the newest versions also where it is older than they are', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database } = world;
    const { id, version, notAfter } = await world.import(issue(world, 'a.example'));
    const first = await database.db.selectFrom('certificate_version').selectAll().executeTakeFirstOrThrow();
    // One more than are shown.
    const later = Array.from({ length: 50 }, (_, index) => ({ ...first, id: `v${index + 2}`, number: index + 2 }));
    await insertValues(database, database.db, 'certificate_version', later);
    const facts = { current_version: 'v51', versions: 51 };
    await database.db.updateTable('certificate').set(facts).where('id', '=', id).execute();
    assert.equal((await certificates.show(id)).versions.length, 50);
    const shown = await certificates.activate('test', id, version);
    assert.deepEqual(
      [shown.version_state, shown.domains, shown.expires_at],
      ['issued', ['a.example'], new Date(notAfter).toISOString()],
    );
    const places = shown.versions.map(({ number, place }) => `${number} ${place}`);
    assert.deepEqual([places.length, places[0], ...places.slice(-2)], [51, '51 former', '2 history', '1 current']);
  });

  test('does not become it when it is revoked, current already, or unknown', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const first = await world.import(issue(world, 'a.example'));
    const second = await world.import(issue(world, 'a.example'), first.id);
    const activate = (version: string) => certificates.activate('test', first.id, version);
    await assert.rejects(activate(second.version), problem('conflict', 'version', 'version_current'));
    await assert.rejects(activate('unknown'), problem('not_found', 'version'));
    const foreign = await world.import(issue(world, 'b.example'));
    await assert.rejects(activate(foreign.version), problem('not_found', 'version'));
    await certificates.revoke('test', first.id, first.version);
    await assert.rejects(activate(first.version), problem('conflict', 'version', 'version_not_issued'));
    await certificates.revoke('test', first.id, second.version);
    const third = await world.import(issue(world, 'a.example'), first.id);
    assert.equal((await certificates.show(first.id)).version, third.version);
    await certificates.revoke('test', first.id);
    await assert.rejects(activate(second.version), problem('conflict', 'certificate', 'certificate_not_issued'));
  });

  test('takes the place of one that was revoked', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const first = await world.import(issue(world, 'a.example'));
    const second = await world.import(issue(world, 'a.example'), first.id);
    await certificates.revoke('test', first.id, second.version);
    const shown = await certificates.activate('test', first.id, first.version);
    assert.deepEqual([shown.version, shown.version_state], [first.version, 'issued']);
  });
});

onBothDatabases('what an import would change', (open) => {
  const compare = ({ certificates, organizationId, ca }: CertificateWorld, leaf: TrialCertificate, onto?: string) => {
    const root = { name: 'root.pem', bytes: Buffer.from(ca.certificatePem) };
    return certificates.compareImport({ organizationId, files: [...filesOf(leaf), root], onto });
  };

  test('is told before anything is stored: names, key, issuer, chain, end and deployments', async (t) => {
    const world = await openCertificateWorld(t, open);
    const leaf = issue(world, 'a.example', 'b.example');
    const { id, version } = await attempt(world, leaf);
    for (const name of ['web 1', 'web 2']) world.deploy(id, name);
    const next = world.ca.intermediate({ commonName: 'New Issuer' }).issue({
      domains: ['b.example', 'c.example'],
      keyType: 'ec-p384',
    });
    const entries = (await world.audit.list({ limit: 100 })).length;
    const { material, existing, target } = await compare(world, next, id);
    assert.deepEqual([material.keyType, existing], ['EC P-384', []], 'its names merely overlap');
    assert.deepEqual(target, {
      id,
      name: 'a.example',
      version,
      number: 1,
      gained: ['c.example'],
      lost: ['a.example'],
      key: { before: 'EC P-256', after: 'EC P-384', same_key: false },
      issuer: { before: 'CN=Trial Root,O=Waxwing Trial', after: 'CN=New Issuer,O=Waxwing Trial' },
      chain: { before: 1, after: 2 },
      expires: { before: new Date(leaf.notAfter).toISOString(), after: new Date(next.notAfter).toISOString() },
      deployments: ['web 1', 'web 2'],
      deployment_count: 2,
      needs_confirmation: true,
    });
    assert.equal((await world.audit.list({ limit: 100 })).length, entries);
    assert.equal((await world.certificates.show(id)).versions.length, 1);
  });

  test('is told of the likeliest of those that exist, and of none where there is none', async (t) => {
    const world = await openCertificateWorld(t, open);
    const key = issue(world, 'a.example').key;
    const none = await compare(world, world.issue({ domains: ['a.example'], key }));
    assert.deepEqual([none.existing, none.target], [[], undefined]);
    const first = await attempt(world, world.issue({ domains: ['a.example'], key }));
    const wider = await attempt(world, issue(world, 'a.example', 'b.example'), { separate: true });
    const { existing, target } = await compare(world, world.issue({ domains: ['a.example'], key }));
    assert.deepEqual(
      existing.map(({ row, relation, deployments }) => [row.id, relation, deployments]),
      [
        [first.id, 'same', 0],
        [wider.id, 'wider', 0],
      ],
    );
    assert.deepEqual([target?.id, target?.key.same_key, target?.needs_confirmation], [first.id, true, false]);
  });

  test('is refused as the import would be', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, organizationId } = world;
    const own = await attempt(world, issue(world, 'a.example'));
    const files = filesOf(issue(world, 'a.example'));
    const bad = certificates.compareImport({ organizationId, files: files.slice(0, 1) });
    await assert.rejects(bad, problem('certificate_rejected'));
    await assert.rejects(compare(world, issue(world, 'a.example'), 'unknown'), problem('not_found', 'onto'));
    await certificates.revoke('test', own.id);
    await assert.rejects(compare(world, issue(world, 'a.example'), own.id), problem('conflict', 'onto', 'not_issued'));
  });

  test('is told of a version that would be the current one again', async (t) => {
    const world = await openCertificateWorld(t, open);
    const first = await attempt(world, issue(world, 'a.example', 'b.example'));
    const second = await attempt(world, issue(world, 'b.example'), { onto: first.id });
    const comparison = await world.certificates.compareVersion(first.id, first.version);
    assert.deepEqual(
      [comparison.version, comparison.number, comparison.gained, comparison.lost],
      [second.version, 2, ['a.example'], []],
    );
    await assert.rejects(world.certificates.compareVersion(first.id, 'unknown'), problem('not_found', 'version'));
  });
});
