import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeTrialCa, type TrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { Problem } from '../../packages/server/src/runtime/problem.ts';
import { makeWorld, type World } from '../world.ts';

const kills = process.env.WAXWING_TEST_SCALE === 'full' ? 50 : 5;
const seed = Number(process.env.WAXWING_TEST_SEED ?? 20_260_101);
const longestLifeMs = 700;

/** Acknowledged by the server, so it must never be lost. */
interface Acknowledged {
  readonly versions: { certificate: string; version: string; fingerprint: string }[];
  rotations: number;
}

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = reasonToSkip(kind);
  test(`a server killed ${kills} times amid imports and key rotations loses nothing (${kind})`, { skip }, async (t) => {
    const world = await makeWorld(kind);
    try {
      const random = mulberry(seed);
      const acknowledged: Acknowledged = { versions: [], rotations: 0 };
      const ca = makeTrialCa({ now: Date.now() });
      await world.start();
      const { id: organization } = await world.control.call('createOrganization', { body: { name: 'Killed' } });
      for (let kill = 1; kill <= kills; kill += 1) {
        if (world.serverPid === 0) await world.start();
        const stopped = new AbortController();
        const work = [
          ...[0, 1, 2].map(() => keepImporting(world, organization, ca, acknowledged, stopped.signal)),
          keepRotating(world, acknowledged, stopped.signal),
        ];
        // The only wait by the clock: the moment of the kill is the test's random input.
        await new Promise((resolve) => setTimeout(resolve, 50 + random() * longestLifeMs));
        await world.kill();
        stopped.abort();
        await Promise.all(work);
        await checkAfterRestart(world, acknowledged);
      }
      t.diagnostic(
        `seed ${seed}: ${kills} kills, ${acknowledged.versions.length} imports and ` +
          `${acknowledged.rotations} rotations acknowledged, none lost`,
      );
      assert.ok(acknowledged.versions.length >= kills, 'too few imports were acknowledged to show anything');
      assert.ok(acknowledged.rotations >= 1, 'no rotation was acknowledged');
    } finally {
      await world.end();
    }
  });
}

async function keepImporting(
  world: World,
  organization: string,
  ca: TrialCa,
  acknowledged: Acknowledged,
  signal: AbortSignal,
): Promise<void> {
  let onto: string | undefined;
  while (!signal.aborted) {
    const leaf = ca.issue({ domains: ['killed.example.test'] });
    const files = [{ name: 'pair.pem', base64: Buffer.from(leaf.certificatePem + leaf.keyPem).toString('base64') }];
    try {
      const done = await world.control.call('importCertificate', {
        params: { organization_id: organization },
        body: { files, ...(onto !== undefined && { onto }) },
      });
      onto = done.id;
      acknowledged.versions.push({ certificate: done.id, version: done.version, fingerprint: leaf.serial });
    } catch (error) {
      // Another one has stored it first. This goes on as a script would: onto that one.
      if (onto === undefined && error instanceof Problem && error.code === 'certificate_exists') {
        onto = String(error.parameters.id);
        continue;
      }
      if (isRefusal(error)) throw error;
      return;
    }
  }
}

async function keepRotating(world: World, acknowledged: Acknowledged, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await world.control.call('rotateMasterKey');
      acknowledged.rotations += 1;
    } catch (error) {
      if (isRefusal(error)) throw error;
      return;
    }
  }
}

/** A refusal is an answer. Any other error is the kill. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.code !== 'service_unavailable';
}

async function checkAfterRestart(world: World, acknowledged: Acknowledged): Promise<void> {
  await world.start();
  const doctor = await world.waxwing(['doctor', '--json']);
  assert.equal(doctor.code, 0, `doctor after the kill: ${doctor.stdout}${doctor.stderr}`);
  const { faults } = await world.control.call('verifyAudit');
  assert.deepEqual(faults, []);
  const existing = await world.control.list('listCertificates', {});
  assert.ok(existing.length <= 1, `${existing.length} certificates have the same names`);
  const shown = new Map<string, Set<string>>();
  for (const { certificate, version } of acknowledged.versions) {
    if (!shown.has(certificate)) {
      const versions = await world.control.list('listCertificateVersions', { params: { certificate_id: certificate } });
      shown.set(certificate, new Set(versions.map((each) => each.id)));
    }
    assert.ok(shown.get(certificate)?.has(version), `version ${version} was acknowledged and is gone`);
  }
  assert.ok(readFileSync(world.path('data/master.key'), 'utf8').length > 0);
}

/** A seeded generator (mulberry32), so that a failing run can be repeated. */
function mulberry(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
