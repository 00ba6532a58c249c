import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import type { Application } from '../compose.ts';
import { onBothDatabases } from '../database/testing.ts';
import { loadKeyRing } from '../secrets/master-key-file.ts';
import { applicationOn } from './application.testing.ts';

const ca = makeTrialCa({ now: Date.now() });
const leaf = ca.issue({ domains: ['example.com'] });
const files = [
  { name: 'chain.pem', bytes: Buffer.from(leaf.chainPem) },
  { name: 'key.pem', bytes: Buffer.from(leaf.keyPem) },
];

async function keyOf({ certificates }: Application, id: string, version?: string): Promise<string> {
  const exported = await certificates.export('test', { id, version, format: 'pem' });
  return exported.files.find((file) => file.secret)?.bytes.toString() ?? '';
}

/** How many secrets open with the keys of the file alone, as after a restart. */
async function openedByFile({ sealedStores, settings }: Application): Promise<number> {
  const checks = await Promise.all(sealedStores.map((store) => store.check(loadKeyRing(settings.masterKeyFile))));
  assert.deepEqual(
    checks.flatMap((check) => check.faults),
    [],
  );
  return checks.reduce((sum, check) => sum + check.sealed, 0);
}

onBothDatabases('the whole application', (_open, kind) => {
  test('keeps everything through a restart', async (t) => {
    const restart = await applicationOn(t, kind);
    const first = await restart();
    const organization = await first.organizations.create('test', 'Acme');
    await first.operators.create('test', 'ops@example.com');
    const { id } = await first.certificates.import('test', { organizationId: organization.id, files });
    await first.certificates.import('test', { organizationId: organization.id, files, onto: id });
    const { deployment } = await first.deployments.create('test', { certificateId: id, name: 'web', allow: ['::1'] });
    const before = [
      await first.organizations.list(),
      await first.certificates.show(id),
      await first.deployments.list({ limit: 10 }),
      await first.audit.list({ limit: 100 }),
    ];
    const { head } = await first.audit.verify();

    const second = await restart();
    assert.deepEqual(
      [
        await second.organizations.list(),
        await second.certificates.show(id),
        await second.deployments.list({ limit: 10 }),
        await second.audit.list({ limit: 100 }),
      ],
      before,
    );
    assert.equal((await second.audit.list({ limit: 100 })).length, 5);
    assert.deepEqual(
      (await second.deployments.list({ limit: 10 })).map(({ id }) => id),
      [deployment.id],
    );
    assert.equal(await keyOf(second, id), leaf.keyPem);
    assert.equal(second.masterKeys.ring().current.id, first.masterKeys.ring().current.id);
    assert.equal(await second.operators.exist(), true);
    assert.deepEqual((await second.audit.verify(head)).faults, []);
  });

  test('imports and opens certificates while master keys are rotated again and again, and loses none', async (t) => {
    const restart = await applicationOn(t, kind);
    const application = await restart();
    const { certificates, masterKeys, organizations } = application;
    const organization = await organizations.create('test', 'Acme');
    const importOne = (onto?: string) =>
      certificates.import('test', { organizationId: organization.id, files, onto, separate: onto === undefined });
    const first = await importOne();
    let rotations = 0;
    let done = false;
    const rotating = (async () => {
      for (; !done; rotations += 1) await masterKeys.rotate('test');
    })();
    const imports = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = 0; n < 6; n += 1) {
        const { id, version } = await importOne(lane % 2 === 0 ? first.id : undefined);
        assert.equal(await keyOf(application, id, version), leaf.keyPem);
      }
    });
    await Promise.all(imports);
    done = true;
    await rotating;
    assert.ok(rotations >= 2, `${rotations} rotations`);
    assert.equal(await openedByFile(application), 1 + 1 + 24);
    assert.deepEqual((await application.audit.verify()).faults, []);
    const restarted = await restart();
    assert.equal(await keyOf(restarted, first.id, first.version), leaf.keyPem);
    assert.equal(loadKeyRing(restarted.settings.masterKeyFile).keys.length, 1);
  });
});
