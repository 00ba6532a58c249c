import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { certificateRequest } from './certificate-request.ts';
import { generateKey, keyKinds } from './generate-key.ts';
import { inOpensslFolder, withoutOpenssl } from './openssl.testing.ts';

async function opensslText(names: readonly string[], kind: (typeof keyKinds)[number]): Promise<string> {
  const request = await certificateRequest(await generateKey(kind), names);
  let text = '';
  await inOpensslFolder(async ({ path, run }) => {
    writeFileSync(path('request.der'), request);
    text = run('req', '-inform', 'DER', '-in', 'request.der', '-verify', '-noout', '-text').toString();
  });
  return text;
}

const signatures: Readonly<Record<(typeof keyKinds)[number], RegExp>> = {
  ec256: /ASN1 OID: prime256v1[\s\S]*ecdsa-with-SHA256/,
  ec384: /ASN1 OID: secp384r1[\s\S]*ecdsa-with-SHA384/,
  rsa2048: /\(2048 bit\)[\s\S]*sha256WithRSAEncryption/,
  rsa3072: /\(3072 bit\)[\s\S]*sha256WithRSAEncryption/,
  rsa4096: /\(4096 bit\)[\s\S]*sha256WithRSAEncryption/,
};

for (const kind of keyKinds) {
  test(`OpenSSL verifies a request for names and addresses by a key of kind ${kind}`, {
    skip: withoutOpenssl,
  }, async () => {
    const text = await opensslText(['www.example.com', '*.example.com', '192.0.2.7', '2001:db8::7'], kind);
    assert.match(text, /Subject: CN = www\.example\.com\n/);
    const [, names] = /Subject Alternative Name:\s*\n\s*(.*)\n/.exec(text) ?? [];
    assert.equal(
      names,
      'DNS:www.example.com, DNS:*.example.com, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7',
    );
    assert.match(text, signatures[kind]);
  });
}

test('an address or a long name is no common name', { skip: withoutOpenssl }, async () => {
  const long = `${'a'.repeat(53)}.example.com`;
  assert.match(await opensslText([long], 'ec256'), /Subject: \n/);
  assert.match(await opensslText(['192.0.2.7', 'example.com'], 'ec256'), /Subject: \n/);
  assert.match(await opensslText([long.slice(1)], 'ec256'), /Subject: CN = a{52}\./);
});
