import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderKind } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import { checkProviderOptions } from './provider-options.ts';

const base64 = Buffer.from('secret').toString('base64');
const update = { server: 'ns1.example.com:53', zone: 'example.com', 'key-name': 'waxwing' };

function faults(kind: ProviderKind, options: Readonly<Record<string, string>>, secret?: string): readonly string[] {
  const checked = checkProviderOptions(kind, options, secret === undefined ? undefined : new SecretText(secret));
  return checked.ok ? [] : checked.faults.map(({ option, message }) => `${option}: ${message}`);
}

test('each kind takes its own options', () => {
  const table: readonly [ProviderKind, Record<string, string>, string?][] = [
    ['rfc2136', update, base64],
    ['rfc2136', { ...update, server: '[2001:db8::1]:5353', algorithm: 'hmac-sha512' }, base64],
    ['cloudflare', {}, 'token'],
    ['aliyun', { 'key-id': 'LTAI' }, 'secret'],
    ['dnspod', { 'key-id': 'AKID' }, 'secret'],
    ['huawei', { 'key-id': 'QTWA', region: 'cn-east-3' }, 'secret'],
    ['route53', { 'key-id': 'AKIA' }, 'secret'],
    ['webhook', { url: 'https://a.example/' }, `whsec_${Buffer.alloc(32).toString('base64')}`],
    ['webhook', { url: 'https://a.example/' }],
    ['manual', {}],
  ];
  for (const [kind, options, secret] of table) assert.deepEqual(faults(kind, options, secret), [], kind);
});

test('every fault is told at once, with its option and its remedy', () => {
  assert.deepEqual(faults('rfc2136', { server: 'ns1', zone: 'a..b', algorithm: 'hmac-sha1', port: '53' }), [
    'port: A provider of kind rfc2136 has no option port; it takes server, zone, key-name, algorithm.',
    'key-name: Set the option key-name. The name of the TSIG key.',
    'secret: Give the secret in a file. The TSIG key in base64.',
    'server: The server must be HOST:PORT, such as ns1.example.com:53 or [2001:db8::1]:53.',
    'zone: The zone must be a name, such as example.com.',
    'algorithm: The algorithm must be one of hmac-sha256, hmac-sha384, hmac-sha512; MD5 and SHA-1 are not supported.',
  ]);
  assert.deepEqual(faults('manual', {}, 'x'), ['secret: A provider of kind manual has no secret; leave it out.']);
  assert.deepEqual(faults('cloudflare', { 'key-id': 'x' }, 'two words'), [
    'key-id: A provider of kind cloudflare has no option key-id; it takes none.',
    'secret: The secret must be one line without blanks.',
  ]);
  assert.deepEqual(faults('webhook', { url: 'ftp://a.example' }, 'whsec_short'), [
    'url: The URL must begin with https:// or http://.',
    'secret: The secret must be whsec_ and the base64 of 24 to 64 bytes.',
  ]);
  for (const url of ['https://a.example/dns?of=1', 'https://me:hidden@a.example/', 'https://@a.example/']) {
    assert.deepEqual(faults('webhook', { url }), [
      'url: The url must have no query and no user name: everybody who may see the provider sees it. ' +
        'Give a secret instead, which signs the requests.',
    ]);
  }
  assert.deepEqual(faults('rfc2136', update, 'not base64'), [
    'secret: The secret must be the TSIG key in base64, as tsig-keygen prints it.',
  ]);
  assert.deepEqual(faults('rfc2136', { ...update, algorithm: 'toString', server: 'a:0' }, base64).length, 2);
});
