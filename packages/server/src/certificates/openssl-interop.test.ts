import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { inOpensslFolder, withoutOpenssl } from '@waxwing/pki/openssl.testing.ts';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import { type CertificateMaterial, readImport } from '@waxwing/pki/read-import.ts';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { exportCertificate } from './export-formats.ts';

const skip = withoutOpenssl;
const root = makeTrialCa({ now: Date.now() });
const intermediate = root.intermediate();
const keyTypes = ['ec-p256', 'rsa-2048', 'ed25519'] as const;
const leaves = keyTypes.map((keyType) => intermediate.issue({ domains: ['www.example.com'], keyType }));

async function readBack(files: Record<string, Buffer>, password?: string): Promise<CertificateMaterial> {
  const list = Object.entries(files).map(([name, bytes]) => ({ name, bytes }));
  const verdict = await readImport({ files: list, password, now: Date.now() });
  assert.ok('material' in verdict, JSON.stringify(verdict));
  return verdict.material;
}

/** Arguments of `openssl pkcs12 -export`. The last ones are from before 2010. */
const pkcs12Variants = [
  [],
  ['-macalg', 'sha1'],
  ['-macalg', 'sha512', '-certpbe', 'AES-128-CBC', '-keypbe', 'AES-192-CBC'],
  ['-macalg', 'sha384', '-certpbe', 'AES-256-CBC', '-keypbe', 'NONE'],
  ['-certpbe', 'NONE', '-keypbe', 'NONE'],
  ['-nomac'],
  ['-noiter', '-nomaciter'],
  ['-legacy'],
  ['-legacy', '-certpbe', 'PBE-SHA1-RC2-128', '-keypbe', 'PBE-SHA1-RC2-40'],
  ['-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-2DES'],
] as const;

test('PKCS#12 of every kind that OpenSSL writes is read', { skip }, () =>
  inOpensslFolder(async ({ path, run }) => {
    for (const leaf of leaves) {
      writeFileSync(path('in.pem'), leaf.keyPem + leaf.chainPem + root.certificatePem);
      for (const variant of pkcs12Variants) {
        for (const password of ['secret', 'pä𝄞ß', '']) {
          run('pkcs12', '-export', '-in', 'in.pem', '-out', 'out.p12', '-passout', `pass:${password}`, ...variant);
          const material = await readBack({ 'out.p12': readFileSync(path('out.p12')) }, password || undefined);
          assert.equal(material.chain, leaf.chainPem);
          assert.equal(privateKeyPem(material.privateKey), leaf.keyPem);
        }
      }
    }
  }),
);

test('encrypted keys of every kind that OpenSSL writes are read', { skip }, () =>
  inOpensslFolder(async ({ path, run }) => {
    const [ec, rsa] = leaves;
    assert.ok(ec !== undefined && rsa !== undefined);
    for (const leaf of leaves) {
      writeFileSync(path('in.pem'), leaf.keyPem);
      for (const form of [
        ['-v2', 'aes-256-cbc'],
        ['-v2', 'aes-128-cbc', '-v2prf', 'hmacWithSHA512'],
        ['-v2', 'des3', '-v2prf', 'hmacWithSHA1'],
        ['-scrypt'],
        ['-v1', 'PBE-SHA1-3DES'],
        ['-v1', 'PBE-MD5-DES', '-provider', 'legacy', '-provider', 'default'],
        ['-v1', 'PBE-SHA1-DES', '-provider', 'legacy', '-provider', 'default'],
      ]) {
        for (const outform of ['PEM', 'DER']) {
          run('pkcs8', '-topk8', '-in', 'in.pem', '-out', 'key', '-outform', outform, '-passout', 'pass:pä', ...form);
          const material = await readBack({ chain: Buffer.from(leaf.chainPem), key: readFileSync(path('key')) }, 'pä');
          assert.equal(privateKeyPem(material.privateKey), leaf.keyPem);
        }
      }
    }
    for (const [leaf, form, command] of [
      [ec, 'sec1', ['ec']],
      [rsa, 'pkcs1', ['rsa', '-traditional']],
    ] as const) {
      writeFileSync(path('in.pem'), leaf.keyPem);
      for (const cipher of ['-aes128', '-aes192', '-aes256', '-des3']) {
        run(...command, '-in', 'in.pem', '-out', 'key.pem', cipher, '-passout', 'pass:pä');
        const material = await readBack(
          { chain: Buffer.from(leaf.chainPem), key: readFileSync(path('key.pem')) },
          'pä',
        );
        assert.equal(privateKeyPem(material.privateKey), leaf.key.export({ type: form, format: 'pem' }));
      }
    }
  }),
);

test('PKCS#7 and trusted certificates of OpenSSL are read', { skip }, () =>
  inOpensslFolder(async ({ path, run }) => {
    const [leaf] = leaves;
    assert.ok(leaf !== undefined);
    writeFileSync(path('in.pem'), leaf.chainPem + root.certificatePem);
    for (const outform of ['PEM', 'DER']) {
      run('crl2pkcs7', '-nocrl', '-certfile', 'in.pem', '-out', 'chain.p7b', '-outform', outform);
      const material = await readBack({ 'chain.p7b': readFileSync(path('chain.p7b')), key: Buffer.from(leaf.keyPem) });
      assert.equal(material.chain, leaf.chainPem);
    }
    run('x509', '-in', 'in.pem', '-trustout', '-addtrust', 'serverAuth', '-out', 'trusted.pem');
    const material = await readBack({
      'trusted.pem': readFileSync(path('trusted.pem')),
      key: Buffer.from(leaf.keyPem),
    });
    assert.equal(material.chain, leaf.certificatePem);
  }),
);

test('what OpenSSL itself issues is read: RSA-PSS, key parameters in front, text around, its serial', { skip }, () =>
  inOpensslFolder(async ({ path, run }) => {
    const request = [
      'req',
      '-x509',
      '-days',
      '30',
      '-subj',
      '/CN=openssl.example',
      '-addext',
      'subjectAltName=DNS:OpenSSL.example',
    ];
    run('genpkey', '-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', 'pss.key');
    run(...request, '-key', 'pss.key', '-sha256', '-sigopt', 'rsa_pss_saltlen:32', '-out', 'pss.pem');
    const pss = await readBack({ a: readFileSync(path('pss.pem')), b: readFileSync(path('pss.key')) });
    assert.equal(pss.keyType, 'RSA-PSS 2048');
    run('ecparam', '-name', 'prime256v1', '-genkey', '-out', 'ec.key');
    run(...request, '-key', 'ec.key', '-out', 'plain.pem');
    const text = run('x509', '-in', 'plain.pem', '-text');
    const ec = await readBack({ a: text, b: readFileSync(path('ec.key')) });
    assert.deepEqual(ec.domains, ['openssl.example']);
    assert.match(privateKeyPem(ec.privateKey), /^-----BEGIN EC PRIVATE KEY-----\n/);
    assert.equal(run('x509', '-in', 'plain.pem', '-noout', '-serial').toString().trim(), `serial=${ec.serial}`);
    const fingerprint = run('x509', '-in', 'plain.pem', '-noout', '-fingerprint', '-sha256').toString();
    assert.equal(fingerprint.split('=')[1]?.replace(/[:\s]/g, '').toLowerCase(), ec.fingerprintSha256);
  }),
);

test('exported PKCS#12 opens in OpenSSL with its password only, key, chain and name in it', { skip }, () =>
  inOpensslFolder(async ({ path, run }) => {
    for (const leaf of leaves) {
      const material = { chain: leaf.chainPem, privateKey: new SecretText(leaf.keyPem) };
      const [file] = await exportCertificate(material, 'pkcs12', { password: 'pä𝄞ß', name: 'www.example.com' });
      assert.ok(file !== undefined);
      writeFileSync(path('out.p12'), file.bytes);
      const opened = run('pkcs12', '-in', 'out.p12', '-passin', 'pass:pä𝄞ß', '-nodes').toString();
      assert.ok(opened.includes(leaf.keyPem.trim()) && opened.includes(leaf.certificatePem.trim()));
      assert.ok(opened.includes(intermediate.certificatePem.trim()));
      assert.match(opened, /friendlyName: www\.example\.com[\s\S]*localKeyID/);
      assert.throws(() => run('pkcs12', '-in', 'out.p12', '-passin', 'pass:wrong', '-nodes'));
    }
  }),
);
