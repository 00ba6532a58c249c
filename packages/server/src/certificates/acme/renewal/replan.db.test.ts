import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { onBothDatabases } from '../../../database/testing.ts';
import { createCompletionQueue, createImportQueue } from '../../import-queue.ts';
import { createCertificates } from '../../manage-certificates.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import { renewalTime } from './renewal-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

async function openWorld(...given: Parameters<typeof openAcmeWorld>) {
  const world = await openAcmeWorld(...given);
  Object.assign(world.authority.parts, {
    renewalTime: ({ now, window, random, ...of }: Parameters<AcmeWorld['authority']['parts']['renewalTime']>[0]) =>
      renewalTime(of, window ?? null, now, random),
  });
  const { needs, issuing } = world;
  const certificates = createCertificates({
    ...{
      ...needs,
      issuing,
      maxImportBytes: 100_000,
      turns: createImportQueue(4),
      completions: createCompletionQueue(),
    },
    deployments: { count: async () => 0, rollouts: async () => new Map(), names: async () => [] },
    fetchIssuer: async () => ({ kind: 'unreachable' }),
  });
  const start = world.clock.now();
  const request = (id: string) =>
    world.database.db
      .selectFrom('certificate_request')
      .selectAll()
      .where('certificate_id', '=', id)
      .executeTakeFirstOrThrow();
  /** Days after the beginning. */
  const nextAt = async (id: string) => (((await request(id)).next_at ?? 0) - start) / day;
  const id = await world.request();
  await world.tick();
  const first = (await world.certificate(id)).current_version ?? '';
  return { world, certificates, id, first, nextAt, request };
}

onBothDatabases('a version that a person makes the current one', (open) => {
  test('is renewed before it ends: not when the one it replaced would have been', async (t) => {
    const { world, certificates, id, first, nextAt } = await openWorld(t, open);
    world.advance(30 * day);
    await world.requests.renew('test', id);
    await world.tick();
    assert.equal(Math.round(await nextAt(id)), 90);
    await certificates.activate('test', id, first);
    assert.equal(Math.round(await nextAt(id)), 60);
  });

  test('stays for a day where its window is over, and is renewed then', async (t) => {
    const { world, certificates, id, first, nextAt } = await openWorld(t, open);
    const { authority } = world;
    authority.window = { start: 0, end: 0 };
    Object.assign(authority.parts, {
      renewalId: (leaf: Uint8Array) => String(Date.parse(new X509Certificate(leaf).validFrom)),
    });
    authority.windowOf = async (notBefore) => ({
      ...{ kind: 'done', start: Number(notBefore) + 58 * day, end: Number(notBefore) + 60 * day },
      ...{ explanation: null, retryAfterMs: 6 * hour },
    });
    await world.pass(61 * day);
    assert.equal((await world.certificate(id)).versions, 2);
    await certificates.activate('test', id, first);
    await world.pass(23 * hour);
    assert.equal((await world.certificate(id)).current_version, first);
    assert.equal(Math.round(await nextAt(id)), 62);
    await world.pass(2 * hour);
    assert.equal((await world.certificate(id)).versions, 3);
  });

  test('is planned from its own end where it was imported, and its own authority goes on being asked', async (t) => {
    const { world, certificates, id, nextAt, request } = await openWorld(t, open);
    world.authority.window = { start: world.clock.now() + 50 * day, end: world.clock.now() + 51 * day };
    const { files } = await certificates.export('test', { id, format: 'pem' });
    const given = files.map(({ name, bytes }) => ({ name, bytes }));
    const { organizationId } = world;
    await certificates.import('test', { organizationId, files: given, onto: id, incompleteChain: true });
    assert.notEqual((await request(id)).ari_next_at, null);
    await world.tick();
    assert.notEqual((await request(id)).ari_next_at, null, 'the same certificate: its authority is asked');
    assert.ok((await nextAt(id)) >= 50 && (await nextAt(id)) <= 51);

    const notBefore = world.clock.now();
    const leaf = makeTrialCa({ now: notBefore }).issue({
      domains: ['www.example.com'],
      notBefore,
      notAfter: notBefore + 30 * day,
    });
    const other = [
      { name: 'chain.pem', bytes: Buffer.from(leaf.chainPem) },
      { name: 'key.pem', bytes: Buffer.from(leaf.keyPem) },
    ];
    await certificates.import('test', { organizationId, files: other, onto: id, incompleteChain: true });
    assert.equal(Math.round(await nextAt(id)), 20);
    await world.tick();
    assert.equal((await request(id)).ari_next_at, null, 'it is of no authority here');
  });
});
