import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { writePem } from './der/pem.ts';
import { clearPkcs12, fixedKeys, materialSeeds, seedTime as now, pkcs7 } from './material-seeds.testing.ts';
import { privateKeyPem } from './parse-material.ts';
import { type ImportFile, maxImportBytes, readImport } from './read-import.ts';
import { makeTrialCa, makeTrialKey, type TrialKeyType } from './trial-ca.testing.ts';

const runs = { seed: 13, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 3_000 : 60 };
const day = 86_400_000;

const root = makeTrialCa({ now });
const intermediate = root.intermediate();
const leaf = intermediate.issue({ domains: ['www.example.com', '*.example.com', '192.0.2.7', '2001:DB8:0:0::1'] });

function file(name: string, ...contents: readonly (string | Buffer)[]): ImportFile {
  return { name, bytes: Buffer.concat(contents.map((content) => Buffer.from(content))) };
}

async function accepted(...files: ImportFile[]) {
  const verdict = await readImport({ files, now });
  assert.ok('material' in verdict, JSON.stringify(verdict));
  return verdict;
}

async function refused(files: readonly ImportFile[], password?: string) {
  const verdict = await readImport({ files, now, password });
  assert.ok('faults' in verdict, 'it was accepted');
  return verdict.faults;
}

/** Checks for exactly these faults, by field and a part of the message, in any order. */
async function assertFaults(
  files: readonly ImportFile[],
  expected: readonly (readonly [string, RegExp])[],
  password?: string,
) {
  const faults = await refused(files, password);
  assert.equal(faults.length, expected.length, JSON.stringify(faults));
  for (const [field, message] of expected) {
    assert.ok(
      faults.some((fault) => fault.field === field && message.test(fault.message)),
      `${field} ${message}: ${JSON.stringify(faults)}`,
    );
  }
}

const all = (certificate: { keyPem: string; chainPem: string }) =>
  file('all.pem', certificate.keyPem, certificate.chainPem);

test('a certificate with more names, or longer facts, than lists can show is refused, and told how many there are', async () => {
  const names = (count: number, label = '') => Array.from({ length: count }, (_, n) => `n${n}${label}.example`);
  await accepted(all(root.issue({ domains: names(1_000) })));
  await assertFaults(
    [all(root.issue({ domains: names(1_001) }))],
    [['certificate', /has 1001 alternative names, more than 1000; have several issued/]],
  );
  const long = names(400, `.${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}`);
  const { length } = long.join('');
  await assertFaults(
    [all(root.issue({ domains: long }))],
    [['certificate', new RegExp(`have ${length} characters together, more than 65536`)]],
  );
  const domains = ['example.com'];
  await accepted(all(root.issue({ domains, commonName: 'x'.repeat(1_900) })));
  for (const unwieldy of [{ commonName: 'x'.repeat(2_000) }, { serial: 1n << 8_100n }]) {
    const faults = await refused([all(root.issue({ domains, ...unwieldy }))]);
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['facts_too_long'],
    );
    assert.ok(JSON.stringify(faults).length < 1_500, 'and does not fill the answer');
  }
});

test('a certificate is read with everything that is told of it', async () => {
  const { material, warnings } = await accepted(file('all.pem', leaf.keyPem, leaf.chainPem, root.certificatePem));
  assert.deepEqual(warnings, []);
  assert.equal(material.givenRoot, root.certificatePem);
  assert.equal(material.chain, leaf.chainPem);
  assert.equal(privateKeyPem(material.privateKey), leaf.keyPem);
  assert.deepEqual(material.domains, ['www.example.com', '*.example.com', '192.0.2.7', '2001:db8::1']);
  assert.equal(material.notBefore, leaf.notBefore);
  assert.equal(material.notAfter, leaf.notAfter);
  assert.equal(material.serial, leaf.serial);
  assert.match(material.fingerprintSha256, /^[0-9a-f]{64}$/);
  assert.equal(material.subject, 'CN=www.example.com,O=Waxwing Trial');
  assert.equal(material.issuer, 'CN=Trial Intermediate 2,O=Waxwing Trial');
  assert.equal(material.keyType, 'EC P-256');
  assert.equal(material.selfSigned, false);
  assert.ok(!inspect(material, { depth: 9 }).includes('PRIVATE KEY'));
});

test('every accepted form gives the same chain and key', async () => {
  for (const seed of await materialSeeds()) {
    const verdict = await readImport({ ...seed, now });
    assert.ok('material' in verdict, `${seed.name}: ${JSON.stringify(verdict)}`);
    const form = /PKCS#1$/.test(seed.name) ? 'RSA ' : /SEC1/.test(seed.name) ? 'EC ' : '';
    assert.ok(privateKeyPem(verdict.material.privateKey).startsWith(`-----BEGIN ${form}PRIVATE KEY-----\n`), seed.name);
    assert.ok(verdict.material.domains.includes('www.example.com'), seed.name);
  }
});

test('each accepted kind of key is named', async () => {
  const kinds: readonly (readonly [TrialKeyType, string])[] = [
    ['ec-p256', 'EC P-256'],
    ['ec-p384', 'EC P-384'],
    ['ec-p521', 'EC P-521'],
    ['rsa-2048', 'RSA 2048'],
    ['ed25519', 'Ed25519'],
    ['ed448', 'Ed448'],
  ];
  for (const [keyType, name] of kinds) {
    const { material } = await accepted(all(root.issue({ domains: ['a.example'], keyType })));
    assert.equal(material.keyType, name);
  }
});

test(`order, surrounding text, line ends and the spread over files do not matter (seed ${runs.seed})`, async () => {
  const blocks = [
    leaf.keyPem,
    leaf.certificatePem,
    intermediate.certificatePem,
    root.certificatePem,
    leaf.certificatePem,
  ];
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((around) => !around.includes('-----'));
  const arrangement = fc.record({
    order: fc.shuffledSubarray(blocks, { minLength: blocks.length }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    around: fc.array(text, { minLength: blocks.length, maxLength: blocks.length }),
    into: fc.array(fc.nat(2), { minLength: blocks.length, maxLength: blocks.length }),
  });
  const expected = (await accepted(all(leaf), file('root.pem', root.certificatePem))).material;
  await fc.assert(
    fc.asyncProperty(arrangement, async ({ order, lineEnd, around, into }) => {
      const texts = ['', '', ''];
      order.forEach((block, index) => {
        texts[into[index] ?? 0] += `${around[index]}${block.replaceAll('\n', lineEnd)}`;
      });
      const files = texts.filter((content) => content !== '').map((content, index) => file(`${index}.pem`, content));
      const { material, warnings } = await accepted(...files);
      const said = new Set(warnings.map(({ code }) => code));
      assert.ok(said.delete('doubled'));
      assert.deepEqual(
        [...said].filter((code) => code !== 'wrong_order'),
        [],
      );
      assert.deepEqual(
        { ...material, key: privateKeyPem(material.privateKey) },
        { ...expected, key: privateKeyPem(expected.privateKey) },
      );
    }),
    runs,
  );
});

test('text saved as UTF-16 by a Windows editor is read', async () => {
  await accepted({ name: 'utf16.pem', bytes: Buffer.from(`\ufeff${leaf.keyPem}${leaf.chainPem}`, 'utf16le') });
});

test('a self-signed certificate is its own chain, root or not', async () => {
  const { material, warnings } = await accepted(all(root.selfSigned({ domains: ['self.example'] })));
  assert.equal(material.selfSigned, true);
  assert.deepEqual(warnings, []);
  assert.equal(material.chain.match(/BEGIN/g)?.length, 1);
});

test('an unknown issuer, an unrelated certificate and an idle key are warnings', async () => {
  const stranger = makeTrialCa({ now, commonName: 'Stranger' });
  const { material, warnings } = await accepted(file('all.pem', leaf.keyPem, leaf.chainPem, stranger.certificatePem));
  assert.equal(material.chain, leaf.chainPem);
  assert.deepEqual(warnings.length, 2);
  assert.match(warnings[0]?.message ?? '', /was issued by CN=Trial Root,O=Waxwing Trial, which is not known here/);
  assert.match(warnings[1]?.message ?? '', /CN=Stranger,O=Waxwing Trial does not belong/);
  const idle = makeTrialKey('ec-p256').export({ type: 'pkcs8', format: 'pem' }).toString();
  const withIdle = await accepted(file('all.pem', idle, leaf.keyPem, leaf.chainPem, root.certificatePem));
  assert.deepEqual(
    withIdle.warnings.map((warning) => warning.field),
    ['key'],
  );
});

test('an RSA key with a small public exponent is a warning', async () => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).privateKey;
  const { warnings } = await accepted(all(root.selfSigned({ domains: ['www.example.com'], key })));
  assert.deepEqual(
    warnings.map(({ code, parameters }) => [code, parameters?.key]),
    [['small_exponent', 'RSA 2048']],
  );
  const usual = makeTrialKey('rsa-2048');
  assert.deepEqual((await accepted(all(root.selfSigned({ domains: ['www.example.com'], key: usual })))).warnings, []);
});

test('an intermediate that ends before the leaf and an old root are warnings', async () => {
  const shortLived = root.intermediate({ notAfter: now + day });
  const short = await accepted(
    all(shortLived.issue({ domains: ['a.example'] })),
    file('root.pem', root.certificatePem),
  );
  assert.match(short.warnings[0]?.message ?? '', /before the certificate it vouches for/);
  const oldRoot = makeTrialCa({ now, notAfter: now - day });
  const old = await accepted(all(oldRoot.issue({ domains: ['a.example'] })), file('root.pem', oldRoot.certificatePem));
  assert.match(old.warnings[0]?.message ?? '', /expired/);
});

test('each fault of a certificate is named', async () => {
  const domains = ['a.example'];
  await assertFaults(
    [all(root.issue({ domains, notAfter: now - day }))],
    [['certificate', /expired on 2026-01-14T00:00:00Z/]],
  );
  await assertFaults(
    [all(root.issue({ domains, notBefore: now + day }))],
    [['certificate', /not valid before 2026-01-16/]],
  );
  await assertFaults([all(root.issue({ domains, keyType: 'rsa-1024' }))], [['certificate', /RSA 1024.*weak/]]);
  await assertFaults([all(root.issue({ domains, keyType: 'ec-p224' }))], [['certificate', /EC P-224.*curve/]]);
  await assertFaults([all(root.issue({ domains, hash: 'sha1' }))], [['certificate', /SHA-1/]]);
  await assertFaults([all(root.issue({ domains: [] }))], [['certificate', /names no domain/]]);
  await assertFaults(
    [all(root.issue({ domains: ['bücher.example', 'a.example'] }))],
    [['certificate', /malformed.*A-label/]],
  );
  await assertFaults([all(root.issue({ domains: ['a.example\nb'] }))], [['certificate', /malformed/]]);
});

test('each fault of an issuer is named', async () => {
  const domains = ['a.example'];
  const under = (options: Parameters<typeof root.intermediate>[0]) => [
    all(root.intermediate(options).issue({ domains })),
  ];
  await assertFaults(under({ notAfter: now - day }), [['certificate', /Trial Intermediate.*expired/]]);
  await assertFaults(under({ basicConstraints: 'leaf' }), [['certificate', /not a certification authority/]]);
  await assertFaults(under({ basicConstraints: 'absent' }), [['certificate', /not a certification authority/]]);
  await assertFaults(under({ keyUsage: 0x80 }), [['certificate', /certification authority|may not sign/]]);
  await assertFaults(under({ hash: 'sha1' }), [['certificate', /SHA-1/]]);
  await assertFaults(under({ keyType: 'rsa-1024' }), [['certificate', /weak/]]);
});

test('a root may be signed with SHA-1: nobody checks what it says of itself', async () => {
  const old = makeTrialCa({ now, hash: 'sha1' });
  const { warnings } = await accepted(all(old.issue({ domains: ['a.example'] })), file('root.pem', old.certificatePem));
  assert.deepEqual(warnings, []);
});

test('a link that does not verify is a fault', async () => {
  const other = makeTrialCa({ now });
  await assertFaults(
    [all(root.issue({ domains: ['a.example'] })), file('root.pem', other.certificatePem)],
    [['certificate', /names CN=Trial Root.* did not sign it/]],
  );
  const spoiled = root.issue({ domains: ['a.example'], spoiled: true });
  await assertFaults([all(spoiled), file('root.pem', root.certificatePem)], [['certificate', /did not sign it/]]);
  await assertFaults(
    [all(root.selfSigned({ domains: ['a.example'], spoiled: true }))],
    [['certificate', /names itself/]],
  );
});

test('what is missing or does not fit together is a fault', async () => {
  const strange = makeTrialKey('ec-p256').export({ type: 'pkcs8', format: 'pem' }).toString();
  const twin = root.issue({ domains: ['twin.example'] });
  await assertFaults([file('c.pem', leaf.chainPem)], [['key', /No private key/]]);
  await assertFaults([file('k.pem', leaf.keyPem)], [['certificate', /No certificate/]]);
  await assertFaults([], [['certificate', /No file/]]);
  await assertFaults([file('c.pem', leaf.chainPem), file('k.pem', strange)], [['key', /does not belong/]]);
  await assertFaults([all(leaf), all(twin)], [['certificate', /Several certificates/]]);
  const renewed = root.issue({ domains: ['www.example.com'], key: leaf.key });
  await assertFaults([all(leaf), all(renewed)], [['certificate', /Several certificates/]]);
});

test('a key file whose private half is not that of its public half is refused', async () => {
  const forged = leaf.key.export({ type: 'pkcs8', format: 'der' });
  const scalarAt = forged.indexOf(Buffer.from('0420', 'hex')) + 2;
  forged[scalarAt + 31] = (forged[scalarAt + 31] ?? 0) ^ 1;
  await assertFaults([file('c.pem', leaf.chainPem), file('k.der', forged)], [['key', /damaged/]]);
});

test('an RSA key with spoilt numbers is refused, though OpenSSL would sign with it', async () => {
  const rsa = root.issue({ domains: ['a.example'], key: fixedKeys.rsa() });
  const spoilt = rsa.key.export({ type: 'pkcs1', format: 'der' });
  spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1;
  await assertFaults(
    [file('c.pem', rsa.chainPem), file('k.der', spoilt)],
    [
      ['k.der', /private key is damaged/],
      ['key', /No private key/],
    ],
  );
});

test('all faults are told at once', async () => {
  const weak = root.intermediate({ notAfter: now - day, hash: 'sha1' });
  const bad = weak.issue({ domains: [], notAfter: now - day, keyType: 'rsa-1024' });
  await assertFaults(
    [file('c.pem', bad.chainPem), file('junk.txt', 'hello'), file('cut.pem', leaf.keyPem.slice(0, 100))],
    [
      ['junk.txt', /No certificate or private key was found in it/],
      ['cut.pem', /no matching END/],
      ['key', /No private key/],
      ['certificate', /a?CN=Trial,.*expired/],
      ['certificate', /names no domain/],
      ['certificate', /weak/],
      ['certificate', /Trial Intermediate.*expired/],
      ['certificate', /Trial Intermediate.*SHA-1/],
    ],
  );
});

test('a file of another kind is refused by its name, with what it holds', async () => {
  const request = writePem('CERTIFICATE REQUEST', Buffer.from('x'));
  const openssh = writePem('OPENSSH PRIVATE KEY', Buffer.from('x'));
  await assertFaults([all(leaf), file('request.csr', request)], [['request.csr', /only: CERTIFICATE REQUEST/]]);
  await assertFaults([all(leaf), file('id', openssh)], [['id', /OPENSSH.*PKCS#8/]]);
  await assertFaults([all(leaf), file('empty')], [['empty', /No certificate or private key/]]);
  await assertFaults([all(leaf), file('x25519.pem', makeX25519())], [['x25519.pem', /not supported; use RSA/]]);
});

function makeX25519(): string {
  return writePem(
    'PRIVATE KEY',
    Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), Buffer.alloc(32, 1)]),
  );
}

test('more than 256 KiB are refused unread', async () => {
  const half = Buffer.alloc(maxImportBytes / 2, ' ');
  await assertFaults([file('big.pem', half, half, ' ')], [['big.pem', /262145 bytes/]]);
  await assertFaults([file('a', half), file('b', half), file('c', ' ')], [['certificate', /256 KiB/]]);
  await accepted(file('all.pem', leaf.keyPem, leaf.chainPem, half));
});

test('floods of certificates and of same-named authorities end in a fault, soon', async () => {
  const many = Array.from({ length: 65 }, () => makeTrialCa({ now }).certificateDer);
  const faults = await refused([all(root.issue({ domains: ['a.example'] })), file('many.p7b', pkcs7(many))]);
  assert.match(JSON.stringify(faults), /more than 64 certificates/);
  const rollovers = Array.from({ length: 40 }, () => root.intermediate({ commonName: 'Trial Root' }).certificatePem);
  const flood = await refused([all(root.issue({ domains: ['a.example'] })), file('many.pem', ...rollovers)]);
  assert.match(JSON.stringify(flood), /did not sign it|share a name/);
});

test('passwords: none, a wrong one and one for nothing', async () => {
  const seeds = await materialSeeds();
  for (const { name, files, password } of seeds) {
    if (password === undefined) continue;
    const missing = await refused(files);
    assert.ok(
      missing.length === 1 && /protected by a password/.test(missing[0]?.message ?? ''),
      `${name}: ${JSON.stringify(missing)}`,
    );
    const wrong = await refused(files, 'wrong');
    assert.ok(
      wrong.length === 1 && /does not open it/.test(wrong[0]?.message ?? ''),
      `${name}: ${JSON.stringify(wrong)}`,
    );
    for (const fault of [...missing, ...wrong]) assert.equal(fault.field, 'password');
  }
  const clear = file(
    'clear.p12',
    clearPkcs12([leaf.certificateDer], leaf.key.export({ type: 'pkcs8', format: 'der' })),
  );
  assert.ok('material' in (await readImport({ files: [clear], now, password: 'needless' })));
  await assertFaults([clear], [['password', /longer than 1024/]], 'x'.repeat(1025));
});

test('a fault has a stable code, what its sentence is filled with, and the file that it is about', async () => {
  const stale = root.issue({ domains: ['a.example'], notBefore: now - 20 * day, notAfter: now - day });
  const locked = '-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n';
  const certificate = 'CN=a.example,O=Waxwing Trial';
  assert.deepEqual(await refused([file('chain.pem', stale.chainPem), file('key.pem', locked)]), [
    {
      field: 'password',
      message: 'key.pem: it is protected by a password; give its password.',
      ...{ code: 'password_missing', parameters: {}, file: 'key.pem' },
    },
    {
      field: 'certificate',
      message: `The certificate ${certificate} expired on ${iso(now - day)}; give a renewed one.`,
      code: 'expired',
      parameters: { certificate, serial: stale.serial, date: iso(now - day) },
    },
  ]);
});

const iso = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
