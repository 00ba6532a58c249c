import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchIssuer } from '@waxwing/pki/complete-chain.ts';
import { createKnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import type { TrialCa, TrialCertificate } from '@waxwing/pki/trial-ca.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { listChains, replaceRemarks } from './certificate-store.ts';
import { type CertificateWorld, filesOf, openCertificateWorld, problem } from './certificate-world.testing.ts';
import { createChainJudge } from './chain-judge.ts';
import { openPrivateKey, readHandOutCertificates } from './hand-out.ts';
import type { ImportRequest } from './import-certificate.ts';

/** The files of a certificate without those above it. */
const alone = ({ certificatePem, keyPem }: TrialCertificate) =>
  filesOf({ chainPem: certificatePem, keyPem } as TrialCertificate);

function importing({ certificates, organizationId }: CertificateWorld, request: Partial<ImportRequest>) {
  return certificates.import('test', { organizationId, files: [], separate: true, ...request });
}

const codes = (warnings: readonly { readonly code?: string }[]) => warnings.map(({ code }) => code);

/** An intermediate below the world's CA, and a leaf that says where it can be fetched. */
function chainOf({ ca }: CertificateWorld, domain = 'a.example'): { issuer: TrialCa; leaf: TrialCertificate } {
  const issuer = ca.intermediate();
  return { issuer, leaf: issuer.issue({ domains: [domain], issuerUrls: ['http://aia.example/issuer.cer'] }) };
}

/** A leaf that says where the lower of two intermediates is, which names the known root above the upper one. */
function halfChainOf(world: CertificateWorld): { lower: TrialCa; leaf: TrialCertificate } {
  world.trust.roots = [world.ca.certificatePem];
  const lower = world.ca.intermediate().intermediate({ issuersIssuer: 'Trial Root' });
  return { lower, leaf: lower.issue({ domains: ['a.example'], issuerUrls: ['http://aia.example/lower.cer'] }) };
}

const answering =
  (issuer: TrialCertificate, asked: string[] = []): FetchIssuer =>
  async (url) => {
    asked.push(url);
    return { kind: 'fetched', bytes: issuer.certificateDer };
  };

/** For `assert.rejects`: with these faults. */
function rejectedFor(...expected: string[]): (error: unknown) => true {
  return (error) => {
    problem('certificate_rejected')(error);
    assert.deepEqual(codes((error as Problem).faults), expected);
    return true;
  };
}

/** Judges all current versions once. */
async function judgeOnce(
  { database }: CertificateWorld,
  known: Parameters<typeof createChainJudge>[0]['known'],
  now: number,
) {
  const end = new AbortController();
  const errors: unknown[] = [];
  const clock = { now: () => now, monotonic: () => 0 };
  // The first wait that comes is that for the next day: there are few certificates.
  const wait = async () => end.abort();
  await createChainJudge({ database, clock, wait, known, onError: (error) => errors.push(error) }).run(end.signal);
  return errors;
}

onBothDatabases('a chain', (open) => {
  test('that ends at a known root is no remark, whether the root is given or not', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { leaf } = chainOf(world);
    const root = { name: 'root.pem', bytes: Buffer.from(world.ca.certificatePem) };
    const given = await importing(world, { files: [...filesOf(leaf), root] });
    assert.deepEqual([given.warnings, (await world.certificates.show(given.id)).warnings], [[], []]);
    world.trust.roots = [world.ca.certificatePem];
    const { id, warnings } = await importing(world, { files: filesOf(chainOf(world).leaf) });
    assert.deepEqual([warnings, (await world.certificates.show(id)).warnings], [[], []]);
  });

  test('that ends at an unknown issuer is remarked on in every list', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const { id, warnings } = await importing(world, { files: filesOf(world.issue({ domains: ['a.example'] })) });
    assert.deepEqual(codes(warnings), ['issuer_unknown']);
    const shown = (await certificates.show(id)).warnings;
    assert.deepEqual(shown, warnings);
    assert.match(shown[0]?.message ?? '', /was issued by CN=Trial Root,O=Waxwing Trial/);
    assert.deepEqual((await certificates.list({ limit: 9 }))[0]?.warnings, warnings);
    assert.deepEqual((await certificates.search({ limit: 9 }, 'a.ex')).rows[0]?.warnings, warnings);
  });

  test('from which an intermediate is missing is refused unless that is wanted, and then remarked on', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { leaf } = chainOf(world);
    await assert.rejects(importing(world, { files: alone(leaf) }), rejectedFor('missing_intermediate'));
    const { organizationId, certificates } = world;
    const compared = await certificates.compareImport({ organizationId, files: alone(leaf) });
    assert.deepEqual([compared.missingIntermediate, codes(compared.warnings)], [true, ['missing_intermediate']]);
    const { id, warnings } = await importing(world, { files: alone(leaf), incompleteChain: true });
    assert.deepEqual(codes(warnings), ['missing_intermediate']);
    assert.deepEqual((await certificates.show(id)).warnings, warnings);
  });

  test('is completed as it is imported, or refused with the reason', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database, ring } = world;
    world.trust.roots = [world.ca.certificatePem];
    const { issuer, leaf } = chainOf(world);
    const files = alone(leaf);
    const unreachable = rejectedFor('missing_intermediate', 'issuer_unreachable');
    await assert.rejects(importing(world, { files, completeChain: true }), unreachable);
    const either = await importing(world, { files, completeChain: true, incompleteChain: true });
    assert.deepEqual(codes(either.warnings), ['missing_intermediate', 'issuer_unreachable']);
    assert.deepEqual(codes((await certificates.show(either.id)).warnings), ['missing_intermediate']);

    world.trust.fetch = answering(issuer);
    const { id, warnings } = await importing(world, { files, completeChain: true });
    assert.deepEqual([warnings, (await certificates.show(id)).warnings], [[], []]);
    const [handedOut] = await readHandOutCertificates(database.db, [id]);
    assert.ok(handedOut?.current !== undefined);
    assert.equal(handedOut.current.chain, leaf.certificatePem + issuer.certificatePem);
    assert.equal(openPrivateKey(ring(), handedOut.current), leaf.keyPem);
  });

  test('is not completed for an import that its names refuse anyway', async (t) => {
    const world = await openCertificateWorld(t, open);
    const files = alone(chainOf(world).leaf);
    world.trust.fetch = () => assert.fail('it was asked for');
    const { id: onto } = await world.import(world.issue({ domains: ['a.example', 'b.example'] }));
    const twin = importing(world, { files, separate: false, completeChain: true });
    await assert.rejects(twin, problem('certificate_exists', 'onto', 'more_names'));
    world.deploy(onto);
    const narrower = importing(world, { files, separate: false, onto, completeChain: true });
    await assert.rejects(narrower, problem('names_lost', 'confirm_lost_names', 'deployed'));
  });

  test('that is completed in part alone is refused, unless that is wanted', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const { lower, leaf } = halfChainOf(world);
    const files = alone(leaf);
    world.trust.fetch = answering(lower);
    const refused = rejectedFor('missing_intermediate', 'issuer_without_url');
    await assert.rejects(importing(world, { files, completeChain: true }), refused);
    const { id, warnings } = await importing(world, { files, completeChain: true, incompleteChain: true });
    assert.deepEqual(codes(warnings), ['missing_intermediate', 'issuer_without_url']);
    assert.equal((await certificates.showChain({ id })).links.length, 2);
    assert.deepEqual(codes((await certificates.show(id)).warnings), ['missing_intermediate']);
  });

  test('is asked for nothing where nothing is missing', async (t) => {
    const world = await openCertificateWorld(t, open);
    world.trust.fetch = () => assert.fail('nothing is missing');
    const { warnings } = await importing(world, { files: filesOf(world.issue({})), completeChain: true });
    assert.deepEqual(codes(warnings), ['issuer_unknown']);
  });

  test('whose caller has lost the right while it was completed is not stored', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { issuer, leaf } = chainOf(world);
    world.trust.fetch = answering(issuer);
    let begun = 0;
    const begin = async () => {
      begun += 1;
      if (begun === 2) throw new Problem('unauthenticated');
    };
    const turn = { signal: new AbortController().signal, begin };
    const attempt = importing(world, { files: alone(leaf), completeChain: true, turn });
    await assert.rejects(attempt, problem('unauthenticated'));
    assert.deepEqual(await world.certificates.list({ limit: 9 }), []);
  });
});

onBothDatabases('completing a stored chain', (open) => {
  test('makes the next version with the same key, which servers notice', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database, ring, feed } = world;
    world.trust.roots = [world.ca.certificatePem];
    const { issuer, leaf } = chainOf(world);
    const { id, version } = await importing(world, { files: alone(leaf), incompleteChain: true });
    const asked: string[] = [];
    world.trust.fetch = answering(issuer, asked);
    await feed.sync();
    const heard: unknown[] = [];
    feed.listen((changes) => heard.push(changes));
    const completed = await certificates.completeChain('test', id);
    assert.deepEqual(asked, ['http://aia.example/issuer.cer']);
    assert.deepEqual(world.replanned, [id]);
    assert.deepEqual([completed.number, completed.warnings], [2, []]);
    assert.deepEqual(
      completed.added.map(({ serial }) => serial),
      [issuer.serial],
    );
    const shown = await certificates.show(id);
    assert.deepEqual([shown.version, shown.warnings], [completed.version, []]);
    assert.deepEqual(
      shown.versions.map(({ id, place }) => [id, place]),
      [
        [completed.version, 'current'],
        [version, 'former'],
      ],
    );
    assert.deepEqual(heard, [[{ kind: 'certificate', subjectId: id }]]);
    const [handedOut] = await readHandOutCertificates(database.db, [id]);
    assert.ok(handedOut?.current !== undefined);
    assert.equal(handedOut.current.chain, leaf.certificatePem + issuer.certificatePem);
    assert.equal(openPrivateKey(ring(), handedOut.current), leaf.keyPem);
    const [entry] = await world.audit.list({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['certificate.complete-chain', id]);
    await assert.rejects(certificates.completeChain('test', id), problem('conflict', 'certificate', 'chain_complete'));
  });

  test('is refused with the reason where an intermediate cannot be fetched, and where nothing is missing', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const { leaf } = chainOf(world);
    const lacking = await importing(world, { files: alone(leaf), incompleteChain: true });
    world.trust.fetch = async () => ({ kind: 'blocked' });
    await assert.rejects(certificates.completeChain('test', lacking.id), (error) => {
      rejectedFor('issuer_at_blocked_address')(error);
      assert.equal((error as Problem).message, 'The chain was not completed, and nothing was changed.');
      return true;
    });
    const other = await importing(world, { files: filesOf(world.issue({ domains: ['b.example'] })) });
    const nothing = problem('conflict', 'certificate', 'chain_complete');
    await assert.rejects(certificates.completeChain('test', other.id), nothing, 'its issuer is merely unknown');
    await certificates.revoke('test', lacking.id, lacking.version);
    const revoked = problem('conflict', 'version', 'version_not_issued');
    await assert.rejects(certificates.completeChain('test', lacking.id), revoked);
    await certificates.revoke('test', lacking.id);
    const ended = problem('conflict', 'certificate', 'certificate_not_issued');
    await assert.rejects(certificates.completeChain('test', lacking.id), ended);
    assert.equal((await certificates.show(lacking.id)).versions.length, 1);
  });

  test('is recorded with as much of a long subject as is shown', async (t) => {
    const world = await openCertificateWorld(t, open);
    world.trust.roots = [world.ca.certificatePem];
    const issuer = world.ca.intermediate({ commonName: 'x'.repeat(1_500) });
    const leaf = issuer.issue({ domains: ['a.example'], issuerUrls: ['http://aia.example/issuer.cer'] });
    const { id } = await importing(world, { files: alone(leaf), incompleteChain: true });
    world.trust.fetch = answering(issuer);
    await world.certificates.completeChain('test', id);
    const [entry] = await world.audit.list({ limit: 1 });
    const { added } = JSON.parse(entry?.detail ?? '');
    assert.deepEqual(added, [`CN=${'x'.repeat(197)}…`]);
  });

  test('is refused where it is completed in part alone', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const { lower, leaf } = halfChainOf(world);
    const { id } = await importing(world, { files: alone(leaf), incompleteChain: true });
    world.trust.fetch = answering(lower);
    await assert.rejects(certificates.completeChain('test', id), rejectedFor('issuer_without_url'));
    const { versions, warnings } = await certificates.show(id);
    assert.deepEqual([versions.length, codes(warnings)], [1, ['missing_intermediate']]);
  });

  test('does not take the place of a version that came in the meantime', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const { issuer, leaf } = chainOf(world);
    const { id } = await importing(world, { files: alone(leaf), incompleteChain: true });
    world.trust.fetch = async () => {
      await world.import(world.issue({ domains: ['a.example'] }), id);
      return { kind: 'fetched', bytes: issuer.certificateDer };
    };
    const replaced = problem('conflict', 'certificate', 'version_replaced');
    await assert.rejects(certificates.completeChain('test', id), replaced);
    assert.equal((await certificates.show(id)).versions.length, 2);
  });

  test('with the root alone above it needs no new version', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates } = world;
    const leaf = world.issue({ domains: ['a.example'], issuerUrls: ['http://aia.example/root.cer'] });
    const { id, version } = await importing(world, { files: filesOf(leaf), incompleteChain: true });
    world.trust.fetch = answering(world.ca);
    const completed = await certificates.completeChain('test', id);
    assert.deepEqual([completed.version, completed.number, completed.added], [version, 1, []]);
    assert.deepEqual((await certificates.show(id)).warnings, []);
  });
});

onBothDatabases('the judge of stored chains', (open) => {
  test('judges what was stored before there was one, and again as authorities and time go on', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database, trust } = world;
    const { leaf } = chainOf(world);
    const lacking = await importing(world, { files: alone(leaf), incompleteChain: true });
    const { id } = await importing(world, { files: filesOf(world.issue({ domains: ['b.example'] })) });
    await database.db.updateTable('certificate_version').set({ remarks: null }).execute();
    assert.deepEqual((await certificates.show(id)).warnings, [], 'not judged yet');

    const now = Date.UTC(2026, 0, 2);
    const judge = async (at = now) => {
      const known = createKnownAuthorities(() => trust.roots);
      assert.deepEqual(await judgeOnce(world, known, at), []);
      const shown = [await certificates.show(lacking.id), await certificates.show(id)];
      return shown.map(({ warnings }) => codes(warnings));
    };
    assert.deepEqual(await judge(), [['missing_intermediate'], ['issuer_unknown']]);
    trust.roots = [world.ca.certificatePem];
    assert.deepEqual(await judge(), [['missing_intermediate'], []]);
    const afterTheRoot = world.ca.notAfter + 1;
    assert.deepEqual((await judge(afterTheRoot))[1], ['expired_root']);
  });

  test('writes nothing where a chain was completed after it was read', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { certificates, database } = world;
    const leaf = world.issue({ domains: ['a.example'], issuerUrls: ['http://aia.example/root.cer'] });
    const { id } = await importing(world, { files: filesOf(leaf), incompleteChain: true });
    const [read] = await listChains(database, '', 1);
    assert.ok(read?.remarks != null);
    await database.db.updateTable('certificate_version').set({ remarks: null }).execute();
    world.trust.fetch = answering(world.ca);
    await certificates.completeChain('test', id);
    await replaceRemarks(database.db, { ...read, remarks: null }, read.remarks);
    assert.deepEqual((await certificates.show(id)).warnings, []);
    const [completed] = await listChains(database, '', 1);
    assert.ok(completed !== undefined);
    await replaceRemarks(database.db, completed, read.remarks);
    assert.deepEqual(codes((await certificates.show(id)).warnings), ['missing_intermediate'], 'as it was read');
  });

  test('writes nothing where nothing has changed, and goes on behind a chain that it cannot read', async (t) => {
    const world = await openCertificateWorld(t, open);
    const { database, trust } = world;
    const first = await importing(world, { files: filesOf(world.issue({ domains: ['a.example'] })) });
    const second = await importing(world, { files: filesOf(world.issue({ domains: ['b.example'] })) });
    const chain = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    await database.db.updateTable('certificate_version').set({ chain }).where('id', '=', first.version).execute();
    trust.roots = [world.ca.certificatePem];

    const known = createKnownAuthorities(() => trust.roots);
    const errors = await judgeOnce(world, known, Date.UTC(2026, 0, 2));
    assert.equal(errors.length, 1);
    assert.deepEqual((await world.certificates.show(second.id)).warnings, []);
    assert.deepEqual(codes((await world.certificates.show(first.id)).warnings), ['issuer_unknown'], 'as it was');
  });
});
