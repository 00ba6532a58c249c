import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { maxPemBlocks, writePem } from './der/pem.ts';
import { createKnownAuthorities } from './known-authorities.ts';
import { seedTime as now } from './material-seeds.testing.ts';
import { makeTrialCa } from './trial-ca.testing.ts';
import { readX509 } from './x509.ts';

const root = makeTrialCa({ now });
const intermediate = root.intermediate();
const subjectOf = (der: Buffer) => readX509(der).subject.comparable;

test('authorities are read at the first question, once, from PEM and DER, each certificate once', () => {
  let reads = 0;
  const known = createKnownAuthorities(() => {
    reads += 1;
    return [root.certificatePem + intermediate.certificatePem, root.certificateDer];
  });
  assert.equal(reads, 0);
  const [found, ...more] = known.named(subjectOf(root.certificateDer));
  assert.deepEqual([found?.isRoot, more.length], [true, 0]);
  assert.equal(found?.certificate.fingerprint, readX509(root.certificateDer).fingerprint);
  assert.equal(known.named(subjectOf(intermediate.certificateDer))[0]?.isRoot, false);
  assert.deepEqual(known.named('nobody'), []);
  assert.equal(reads, 1);
});

test('what cannot be read is passed over', () => {
  const damaged = Buffer.from(root.certificateDer);
  damaged.fill(0xff, damaged.length - 200);
  const known = createKnownAuthorities(() => [
    'no PEM',
    writePem('CERTIFICATE', damaged),
    Buffer.from('x'),
    root.certificatePem,
  ]);
  assert.equal(known.named(subjectOf(root.certificateDer)).length, 1);
});

test('every root that Node brings along is found', () => {
  const twice = [...rootCertificates, ...rootCertificates];
  assert.ok(twice.length > maxPemBlocks, 'more than an import may hold');
  const known = createKnownAuthorities(() => [twice.join('\n')]);
  for (const pem of rootCertificates) {
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    const found = known.named(subjectOf(der)).find(({ certificate }) => certificate.der.equals(der));
    assert.equal(found?.isRoot, true, subjectOf(der));
  }
});
