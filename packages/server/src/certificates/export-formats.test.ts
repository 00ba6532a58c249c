import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { fixedKeys, seedTime as now } from '@waxwing/pki/material-seeds.testing.ts';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import { readImport } from '@waxwing/pki/read-import.ts';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { exportCertificate, exportFormats } from './export-formats.ts';

const leaf = makeTrialCa({ now })
  .intermediate()
  .issue({ domains: ['*.example.com'], key: fixedKeys.rsa() });
const pkcs1 = leaf.key.export({ type: 'pkcs1', format: 'pem' }).toString();
const material = { chain: leaf.chainPem, privateKey: new SecretText(pkcs1) };

test('what is exported in any format imports again as the same certificate', async () => {
  for (const format of exportFormats) {
    const files = await exportCertificate(material, format, { password: 'secret' });
    const verdict = await readImport({ files, password: 'secret', now });
    assert.ok('material' in verdict, `${format}: ${JSON.stringify(verdict)}`);
    const { chain, privateKey } = verdict.material;
    assert.equal(chain, format === 'der' ? leaf.certificatePem : leaf.chainPem);
    assert.ok(createPrivateKey(privateKeyPem(privateKey)).equals(leaf.key));
  }
});

test('PEM keeps the key as it came, DER is the leaf and a PKCS#8 key', async () => {
  const [certificate, key] = await exportCertificate(material, 'pem');
  assert.equal(certificate?.bytes.toString(), leaf.chainPem);
  assert.equal(key?.bytes.toString(), pkcs1);
  const [leafDer, keyDer] = await exportCertificate(material, 'der');
  assert.ok(new X509Certificate(leafDer?.bytes ?? '').checkPrivateKey(leaf.key));
  assert.ok(createPrivateKey({ key: keyDer?.bytes ?? Buffer.alloc(0), format: 'der', type: 'pkcs8' }).equals(leaf.key));
});

test('files are named by format, secrets are marked, and no name leaves the folder', async () => {
  const named = async (name: string) =>
    (
      await Promise.all(exportFormats.map((format) => exportCertificate(material, format, { name, password: 'x' })))
    ).flat();
  assert.deepEqual(
    (await named('*.example.com')).map((file) => [file.name, file.secret]),
    [
      ['_.example.com.crt', false],
      ['_.example.com.key', true],
      ['_.example.com.p12', true],
      ['_.example.com.der', false],
      ['_.example.com.key.der', true],
    ],
  );
  for (const file of await named('../a/b\\c\0')) assert.match(file.name, /^[A-Za-z0-9._-]+$/);
});

test('PKCS#12 without a password is refused', async () => {
  await assert.rejects(exportCertificate(material, 'pkcs12'), { code: 'invalid_parameter', field: 'password' });
  await assert.rejects(exportCertificate(material, 'pkcs12', { password: '' }), { code: 'invalid_parameter' });
});

test('the random octets of PKCS#12 are the caller\u2019s, so no two files are alike', async () => {
  const [one] = await exportCertificate(material, 'pkcs12', { password: 'x' });
  const [two] = await exportCertificate(material, 'pkcs12', { password: 'x' });
  assert.notDeepEqual(one?.bytes, two?.bytes);
});
