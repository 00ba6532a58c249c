import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { makeTrialCa, type TrialCertificate } from '../../packages/pki/src/trial-ca.testing.ts';
import { drawn } from '../drawn.ts';
import { makeWorld, type World } from '../world.ts';

const kills = process.env.WAXWING_TEST_SCALE === 'full' ? 40 : 6;
const seed = Number(process.env.WAXWING_TEST_SEED ?? 20_260_101);

interface Renewed {
  readonly organization: string;
  readonly certificate: string;
  readonly token: string;
}

const filesOf = ({ certificatePem, keyPem }: TrialCertificate) => [
  { name: 'pair.pem', base64: Buffer.from(certificatePem + keyPem).toString('base64') },
];

test(`an import that renews is whole or not there after each of ${kills} kills`, async (t) => {
  const world = await makeWorld('sqlite');
  try {
    const ca = makeTrialCa({ now: Date.now() });
    // Each version has a domain of its own, so the domains of a certificate tell its version.
    const issue = (round: number) => ca.issue({ domains: ['renewed.example.test', `v${round}.example.test`] });
    await world.start();
    const { id: organization } = await world.control.call('createOrganization', { body: { name: 'Killed' } });
    const params = { organization_id: organization };
    let current = issue(0);
    const { id: certificate } = await world.control.call('importCertificate', {
      params,
      body: { files: filesOf(current) },
    });
    const deployment = { certificate_id: certificate, name: 'web', allow: ['127.0.0.1'] };
    const { token } = await world.control.call('createDeployment', { params, body: deployment });
    const renewed: Renewed = { organization, certificate, token };
    const renew = (leaf: TrialCertificate) => {
      const body = { files: filesOf(leaf), onto: certificate, confirm_lost_names: true };
      return world.control.call('importCertificate', { params, body });
    };
    let versions = 1;
    const ends = { answered: 0, stored: 0, absent: 0 };
    for (let kill = 1; kill <= kills; kill += 1) {
      let usualMs = 0;
      // The first import of a server that has just started takes longer than those after it.
      for (const round of [3 * kill, 3 * kill + 1]) {
        const before = performance.now();
        current = issue(round);
        await renew(current);
        versions += 1;
        usualMs = performance.now() - before;
      }
      const next = issue(3 * kill + 2);
      const importing = renew(next).then(
        () => true,
        () => false,
      );
      // The only wait by the clock: the moment of the kill is the test's random input.
      await new Promise((resolve) => setTimeout(resolve, drawn(seed, kill) * usualMs));
      await world.kill();
      const isAnswered = await importing;
      await world.start();
      const isStored = await isCurrent(world, renewed, next);
      assert.ok(isStored || !isAnswered, 'an import that was answered is gone');
      if (isStored) versions += 1;
      ends[isAnswered ? 'answered' : isStored ? 'stored' : 'absent'] += 1;
      const [whole, other] = isStored ? [next, current] : [current, next];
      await assertWhole(world, renewed, whole, versions);
      assert.deepEqual(await existing(world, renewed, other), [], 'its names lead nowhere');
      current = whole;
    }
    t.diagnostic(`seed ${seed}: ${JSON.stringify(ends)}`);
    assert.ok(ends.answered < kills, 'no kill came before the answer');
    assert.deepEqual((await world.control.call('verifyAudit')).faults, []);
    assert.equal((await world.waxwing(['doctor'])).code, 0);
  } finally {
    await world.end();
  }
});

async function isCurrent(world: World, renewed: Renewed, leaf: TrialCertificate): Promise<boolean> {
  const params = { certificate_id: renewed.certificate };
  const { versions } = await world.control.call('showCertificate', { params });
  const [place] = versions.filter(({ serial }) => serial === leaf.serial).map((version) => version.place);
  assert.ok(place === undefined || place === 'current', `it is stored, and ${place}`);
  return place === 'current';
}

/** Every way of asking gives this current version, and no version is stored beside those counted. */
async function assertWhole(world: World, renewed: Renewed, leaf: TrialCertificate, count: number): Promise<void> {
  const params = { certificate_id: renewed.certificate };
  const shown = await world.control.call('showCertificate', { params });
  const stored = await world.control.list('listCertificateVersions', { params });
  assert.deepEqual(
    stored.map(({ number }) => number),
    Array.from({ length: count }, (_, index) => count - index),
  );
  assert.equal(shown.version, stored[0]?.id);
  assert.deepEqual(shown.domains, domainsOf(leaf));
  assert.deepEqual(await existing(world, renewed, leaf), [[renewed.certificate, 'same']]);
  const imports = (await world.control.list('listInstanceAudit', {})).filter(
    ({ action }) => action === 'certificate.import',
  );
  assert.equal(imports.length, count, 'each is recorded once');

  const headers = { authorization: `Bearer ${renewed.token}` };
  const certificate = await fetch(`${world.url}/api/download`, { headers });
  assert.equal(certificate.headers.get('certificate-version'), shown.version);
  const served = new X509Certificate(await certificate.text());
  assert.equal(served.serialNumber, leaf.serial);
  const key = await fetch(`${world.url}/api/download?type=key&version=${shown.version}`, { headers });
  assert.ok(served.checkPrivateKey(createPrivateKey(await key.text())), 'its key opens');
}

const domainsOf = ({ certificatePem }: TrialCertificate) =>
  new X509Certificate(certificatePem).subjectAltName?.split(', ').map((name) => name.replace('DNS:', ''));

/** The certificates that an import of these names would renew. */
async function existing(world: World, { organization }: Renewed, leaf: TrialCertificate) {
  const params = { organization_id: organization };
  const { existing } = await world.control.call('compareImport', { params, body: { files: filesOf(leaf) } });
  return existing.map(({ id, relation }) => [id, relation]);
}
