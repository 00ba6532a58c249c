import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildChain } from './chain.ts';
import { fitsAsIssuer } from './material-faults.ts';
import { seedTime as now } from './material-seeds.testing.ts';
import { makeTrialCa, makeTrialKey, type TrialCertificate } from './trial-ca.testing.ts';
import { readX509 } from './x509.ts';

const day = 86_400_000;

/** The serials of the chain, so that expectations read as names. */
async function chainOf(leaf: TrialCertificate, ...given: readonly TrialCertificate[]) {
  const read = [leaf, ...given].map((certificate) => readX509(certificate.certificateDer));
  const [first] = read;
  assert.ok(first !== undefined);
  const chain = await buildChain(first, read, (issuer) => fitsAsIssuer(issuer, now));
  return { ...chain, fingerprints: chain.certificates.map((certificate) => certificate.fingerprint) };
}

const fingerprints = (...certificates: readonly TrialCertificate[]) =>
  certificates.map((certificate) => readX509(certificate.certificateDer).fingerprint);

test('a chain is put in order and its root left out', async () => {
  const root = makeTrialCa({ now });
  const upper = root.intermediate();
  const lower = upper.intermediate();
  const leaf = lower.issue({ domains: ['a.example'] });
  const chain = await chainOf(leaf, root, upper, lower);
  assert.deepEqual(chain.fingerprints, fingerprints(leaf, lower, upper));
  assert.deepEqual(chain.root?.subject.text, 'CN=Trial Root,O=Waxwing Trial');
  assert.equal(chain.open, undefined);
});

test('of cross-signed twins the one that leads to a given root is taken', async () => {
  const known = makeTrialCa({ now, commonName: 'Known' });
  const absent = makeTrialCa({ now, commonName: 'Absent' });
  const key = makeTrialKey('ec-p256');
  const byAbsent = absent.intermediate({ key, commonName: 'Twin' });
  const byKnown = known.intermediate({ key, commonName: 'Twin' });
  const leaf = byKnown.issue({ domains: ['a.example'] });
  for (const twins of [
    [byAbsent, byKnown],
    [byKnown, byAbsent],
  ]) {
    const chain = await chainOf(leaf, ...twins, known);
    assert.deepEqual(chain.fingerprints, fingerprints(leaf, byKnown));
  }
});

test('of cross-signed twins the expired one is not taken', async () => {
  const old = makeTrialCa({ now, commonName: 'Old' });
  const fresh = makeTrialCa({ now, commonName: 'Fresh' });
  const key = makeTrialKey('ec-p256');
  const expired = old.intermediate({ key, commonName: 'Twin', notAfter: now - day });
  const current = fresh.intermediate({ key, commonName: 'Twin' });
  const leaf = current.issue({ domains: ['a.example'] });
  const chain = await chainOf(leaf, expired, old, current);
  assert.deepEqual(chain.fingerprints, fingerprints(leaf, current));
  assert.equal(chain.open?.subject.text, 'CN=Twin,O=Waxwing Trial');
});

test('an authority of the same name and another key does not break the link', async () => {
  const root = makeTrialCa({ now });
  const before = root.intermediate({ commonName: 'Rekeyed' });
  const after = root.intermediate({ commonName: 'Rekeyed' });
  const leaf = after.issue({ domains: ['a.example'] });
  const chain = await chainOf(leaf, before, after, root);
  assert.deepEqual(chain.fingerprints, fingerprints(leaf, after));
  assert.deepEqual(chain.broken, []);
});

test('authorities that sign each other end in an open chain, not in a loop', async () => {
  const oneKey = makeTrialKey('ec-p256');
  const otherKey = makeTrialKey('ec-p256');
  const one = makeTrialCa({ now, commonName: 'One', key: oneKey });
  const other = makeTrialCa({ now, commonName: 'Other', key: otherKey });
  const oneByOther = other.intermediate({ key: oneKey, commonName: 'One' });
  const otherByOne = one.intermediate({ key: otherKey, commonName: 'Other' });
  const leaf = one.issue({ domains: ['a.example'] });
  const chain = await chainOf(leaf, oneByOther, otherByOne);
  assert.deepEqual(chain.fingerprints, fingerprints(leaf, oneByOther, otherByOne));
  assert.deepEqual(chain.broken, []);
});

test('beyond a broken link the way goes on by name, so that what is wrong further up is found', async () => {
  const root = makeTrialCa({ now });
  const expired = root.intermediate({ notAfter: now - day });
  const leaf = expired.issue({ domains: ['a.example'], spoiled: true });
  const chain = await chainOf(leaf, expired, root);
  assert.deepEqual(chain.fingerprints, fingerprints(leaf, expired));
  assert.equal(chain.broken.length, 1);
  assert.ok(chain.root !== undefined);
});

test('verifications are limited', async () => {
  const roots = Array.from({ length: 300 }, (_, serial) => makeTrialCa({ now, serial: BigInt(serial + 1) }));
  const [first] = roots;
  assert.ok(first !== undefined);
  assert.equal((await chainOf(first.issue({ domains: ['a.example'] }), ...roots)).tooMany, true);
});
