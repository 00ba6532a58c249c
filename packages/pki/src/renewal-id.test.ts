import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewalId } from './renewal-id.ts';
import { makeTrialCa } from './trial-ca.testing.ts';
import { readCertificates, readX509 } from './x509.ts';

/** RFC 9773 appendix A. */
const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;

test("the RFC's example has the RFC's identifier", () => {
  assert.deepEqual(readCertificates(example).map(renewalId), ['aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE']);
});

test('the serial number is that of the DER, with a zero before a high bit only', () => {
  const ca = makeTrialCa({ now: Date.UTC(2026, 0, 1) });
  for (const [serial, octets] of [
    [0x7fn, '7f'],
    [0x80n, '0080'],
    [0x01ffn, '01ff'],
    [0xfe00n, '00fe00'],
  ] as const) {
    const id = renewalId(readX509(ca.issue({ domains: ['a.example'], serial }).certificateDer));
    assert.equal(Buffer.from(id?.split('.')[1] ?? '', 'base64url').toString('hex'), octets);
  }
});

test('a certificate that does not name the key of its issuer has none', () => {
  assert.equal(renewalId({ issuerKeyId: undefined, serial: '01' }), undefined);
});
