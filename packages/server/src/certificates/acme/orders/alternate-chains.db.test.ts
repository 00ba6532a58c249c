import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { makeTrialCa, makeTrialKey, type TrialCertificate } from '@waxwing/pki/trial-ca.testing.ts';
import { type Open, onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { failure, lost } from '../fake-authority.testing.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** An authority with one key, its own root and cross-signed twins: below a root that is known, below others, and one that is expired. */
async function openWorld(t: Parameters<typeof openAcmeWorld>[0], open: Open, isKnown = true) {
  const world = await openAcmeWorld(t, open);
  const { authority, clock, needs } = world;
  const now = clock.now();
  const twin = { key: authority.ca.key, commonName: 'Trial Root' };
  const known = makeTrialCa({ now, commonName: 'Known Root' });
  const strange = makeTrialCa({ now, commonName: 'Strange Root' });
  if (isKnown) Object.assign(needs, { known: createKnownAuthorities(() => [known.certificatePem]) });
  const key = makeTrialKey('ec-p256');
  authority.parts.newKey = async () => key;
  const issued = async () => {
    const id = await world.request();
    await world.pass(minute);
    const downloads = authority.calls.filter((call) => call === 'download').length;
    const [version] = await world.database.db
      .selectFrom('certificate_version')
      .select(['chain', 'remarks'])
      .where('certificate_id', '=', id)
      .execute();
    const chain = version?.chain.split(/(?<=-----END CERTIFICATE-----\n)/) ?? [];
    const remarks = JSON.parse(version?.remarks ?? '[]') as { code: string }[];
    return { above: chain.slice(1), remarks: remarks.map(({ code }) => code), downloads };
  };
  return {
    ...{ authority, issued, known, strange, key },
    sound: known.intermediate(twin),
    old: known.intermediate({ ...twin, notBefore: now - 9 * day, notAfter: now - day }),
    unknown: strange.intermediate(twin),
  };
}

const pemOf = (certificates: readonly TrialCertificate[]) =>
  certificates.map(({ certificatePem }) => certificatePem).join('');

onBothDatabases('alternate chains', (open) => {
  test('are not asked for where there is no remark on the default one', async (t) => {
    const { authority, issued, sound, unknown } = await openWorld(t, open);
    authority.chains = (leaf) => [leaf + pemOf([sound]), leaf + pemOf([unknown])];
    assert.deepEqual(await issued(), { above: [sound.certificatePem], remarks: [], downloads: 1 });
  });

  test('the first one that ends at a known root is stored where the default one does not', async (t) => {
    const { authority, issued, sound, unknown, known } = await openWorld(t, open);
    const chains = [[], [unknown], [sound], [sound, known]];
    authority.chains = (leaf) => chains.map((above) => leaf + pemOf(above));
    assert.deepEqual(await issued(), { above: [sound.certificatePem], remarks: [], downloads: 3 });
  });

  test('one is stored where the default one would be refused', async (t) => {
    const { authority, issued, sound, old } = await openWorld(t, open);
    authority.chains = (leaf) => [leaf + pemOf([old]), leaf + pemOf([sound])];
    assert.deepEqual(await issued(), { above: [sound.certificatePem], remarks: [], downloads: 2 });
  });

  test('a root that is sent along counts as known neither in the default chain nor in another one', async (t) => {
    const { authority, issued, sound, strange, unknown } = await openWorld(t, open);
    const chains = [[authority.ca], [unknown, strange], [sound]];
    authority.chains = (leaf) => chains.map((above) => leaf + pemOf(above));
    assert.deepEqual(await issued(), { above: [sound.certificatePem], remarks: [], downloads: 3 });
  });

  test('those that fail, are no chain or have another leaf are passed over', async (t) => {
    const { authority, issued, sound, unknown, key } = await openWorld(t, open);
    const other = authority.ca.issue({ domains: ['www.example.com'], key });
    const others = [failure('No such chain.', { type: 'malformed' }), lost, 'no chain', pemOf([other, sound])];
    authority.chains = (leaf) => [leaf + pemOf([unknown]), ...others];
    const stored = { above: [unknown.certificatePem], remarks: ['issuer_unknown'], downloads: 5 };
    assert.deepEqual(await issued(), stored);
    authority.chains = (leaf) => [leaf + pemOf([unknown]), ...others, leaf + pemOf([sound])];
    assert.deepEqual(await issued(), { above: [sound.certificatePem], remarks: [], downloads: 11 });
  });

  test('at most five are asked for', async (t) => {
    const { authority, issued, sound, unknown } = await openWorld(t, open);
    authority.chains = (leaf) => [...Array<string>(6).fill(leaf + pemOf([unknown])), leaf + pemOf([sound])];
    const stored = { above: [unknown.certificatePem], remarks: ['issuer_unknown'], downloads: 6 };
    assert.deepEqual(await issued(), stored);
  });

  test('the default one is stored where no root is known', async (t) => {
    const { authority, issued, unknown, sound, known } = await openWorld(t, open, false);
    authority.chains = (leaf) => [leaf + pemOf([unknown]), leaf + pemOf([sound, known])];
    const { above, remarks } = await issued();
    assert.deepEqual([above, remarks], [[unknown.certificatePem], ['issuer_unknown']]);
  });
});
