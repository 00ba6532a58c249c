import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectIdentifier, octetString, primitive, sequence } from './der/der-writer.ts';
import { issuerHints } from './issuer-hints.ts';
import { seedTime as now } from './material-seeds.testing.ts';
import { makeTrialCa } from './trial-ca.testing.ts';
import { readX509 } from './x509.ts';

const root = makeTrialCa({ now });
const urlsOf = (...issuerUrls: string[]) =>
  readX509(root.issue({ domains: ['a.example'], issuerUrls }).certificateDer).issuerUrls;

test('a certificate says where its issuer is, and which of its keys signed', () => {
  const own = readX509(root.certificateDer);
  const leaf = readX509(
    root.issue({ domains: ['a.example'], issuersIssuer: 'Trial Root', issuerUrls: ['http://a.example/ca.crt'] })
      .certificateDer,
  );
  assert.deepEqual(leaf.issuerUrls, ['http://a.example/ca.crt']);
  assert.equal(leaf.issuersIssuer, own.subject.comparable);
  assert.equal(leaf.issuerKeyId, own.keyId);
  assert.match(own.keyId ?? '', /^[0-9a-f]{40}$/);
  assert.deepEqual([own.issuerUrls, own.issuersIssuer], [[], undefined]);
});

test('only URLs that can be asked count, the first four of usual length', () => {
  const good = ['http://1.example/a', 'https://[2001:db8::1]:8443/b?c', 'HTTP://3.example', 'http://4.example'];
  assert.deepEqual(urlsOf(...good, 'http://5.example'), good);
  const refused = [
    'ldap://a.example/cn=CA',
    'ftp://a.example/ca.crt',
    'file:///etc/passwd',
    'http://user:secret@a.example/',
    `http://a.example/${'x'.repeat(1_000)}`,
    'http://',
    '/ca.crt',
    '',
  ];
  assert.deepEqual(urlsOf(...refused, 'http://a.example'), ['http://a.example']);
});

test('other kinds of access are not asked, and malformed extensions count as absent', () => {
  const access = '1.3.6.1.5.5.7.1.1';
  const ocsp = sequence(
    sequence(objectIdentifier('1.3.6.1.5.5.7.48.1'), primitive(6, Buffer.from('http://ocsp.example'))),
  );
  assert.deepEqual(issuerHints(new Map([[access, ocsp]])).issuerUrls, []);
  const none = { issuerUrls: [], issuersIssuer: undefined, issuerKeyId: undefined, keyId: undefined };
  for (const malformed of [Buffer.alloc(0), Buffer.from('3080', 'hex'), octetString(Buffer.from('x'))]) {
    const extensions = new Map([access, '2.5.29.35'].map((oid) => [oid, malformed]));
    assert.deepEqual(issuerHints(extensions), none);
  }
});
