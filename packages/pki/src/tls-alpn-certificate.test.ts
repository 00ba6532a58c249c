import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateKey } from './generate-key.ts';
import { inOpensslFolder, withoutOpenssl } from './openssl.testing.ts';
import { tlsAlpnCertificate } from './tls-alpn-certificate.ts';
import { readX509 } from './x509.ts';

const now = Date.UTC(2026, 0, 15);
const digest = createHash('sha256').update('token.thumbprint').digest();

for (const [name, shown] of [
  ['www.example.com', 'DNS:www.example.com'],
  ['192.0.2.7', 'IP Address:192.0.2.7'],
  ['2001:db8::7', 'IP Address:2001:DB8:0:0:0:0:0:7'],
] as const) {
  test(`the certificate for ${name} holds that name alone, signs itself and is valid now`, async () => {
    const der = await tlsAlpnCertificate({ name, digest }, await generateKey('ec256'), now);
    const read = readX509(der);
    assert.deepEqual(read.alternativeNames, { domains: [name], malformed: [] });
    assert.ok(read.notBefore < now && now < read.notAfter);
    const certificate = new X509Certificate(der);
    assert.equal(certificate.subjectAltName, shown);
    assert.ok(certificate.verify(certificate.publicKey));
  });
}

test('the digest stands in a critical extension', { skip: withoutOpenssl }, async () => {
  const der = await tlsAlpnCertificate({ name: 'a.example', digest }, await generateKey('ec384'), now);
  await inOpensslFolder(async ({ path, run }) => {
    writeFileSync(path('proof.der'), der);
    const text = run('asn1parse', '-inform', 'DER', '-in', 'proof.der').toString();
    const hex = `0420${digest.toString('hex')}`.toUpperCase();
    assert.match(text, new RegExp(`1\\.3\\.6\\.1\\.5\\.5\\.7\\.1\\.31\\n.*BOOLEAN +:255\\n.*OCTET STRING.*:${hex}\\n`));
  });
});
