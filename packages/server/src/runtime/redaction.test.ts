import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSecretName, redactFields, scrubSecrets } from './redaction.ts';
import { SecretText } from './secret-text.ts';

const secretNamed = 'token password authorization Authorization x-api-key X-API-Key key private_key privateKey';
const moreSecretNamed = 'secret cookie Set-Cookie master_key passphrase deployment_token clientSecret pem api_key';
const harmless = 'token_id tokens key_id keys idempotency_key certificate serial keyword secretary';

test('a field holds a secret by its name', () => {
  for (const name of `${secretNamed} ${moreSecretNamed}`.split(' ')) assert.ok(isSecretName(name), name);
  for (const name of harmless.split(' ')) assert.ok(!isSecretName(name), name);
});

const pem = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----';

const texts: readonly [text: string, scrubbed: string][] = [
  ['nothing to hide at 12:00', 'nothing to hide at 12:00'],
  ['token wxd_Ab3-x_9 is wrong', 'token wxd_*** is wrong'],
  ['xwxm_abc,wxa_def', 'xwxm_***,wxa_***'],
  ['signed with whsec_aGVsbG8=', 'signed with whsec_***'],
  ['GET /api/download?type=key&key=s3cret', 'GET /api/download?type=key&key=***'],
  ['?KEY=one&key=two#end', '?KEY=***&key=***#end'],
  ['?key%3Dabc', '?key%3D***'],
  ['Authorization: bearer abcdefghij', 'Authorization: bearer ***'],
  ['postgres://wax:pa%20ss@db/x', 'postgres://wax:***@db/x'],
  ['http://localhost:8080/api?x=a@b', 'http://localhost:8080/api?x=a@b'],
  [`before ${pem} after`, 'before -----BEGIN PRIVATE KEY----- *** after'],
  [JSON.stringify({ a: pem, b: 1 }), '{"a":"-----BEGIN PRIVATE KEY----- ***","b":1}'],
  ['{"a":"-----BEGIN PRIVATE KEY-----\\nMHcC","b":1}', '{"a":"-----BEGIN PRIVATE KEY----- ***","b":1}'],
];

for (const [text, scrubbed] of texts) {
  test(`scrubbing ${JSON.stringify(text)}`, () => {
    assert.equal(scrubSecrets(text), scrubbed);
  });
}

test('scrubbing keeps every JSON line a JSON line', () => {
  const secrets = fc.constantFrom(
    'wxd_abc',
    '?key=a"b',
    'key=\\',
    pem,
    'Bearer abcdefghijk',
    '-----BEGIN PRIVATE KEY-----',
  );
  const value = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), secrets), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const runs = process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1000;
  fc.assert(
    fc.property(fc.dictionary(value, value), (record) => {
      JSON.parse(scrubSecrets(JSON.stringify(record)));
    }),
    { seed: 20_261, numRuns: runs },
  );
});

test('fields are masked by name at any depth', () => {
  const record = {
    token: 'abc',
    headers: { Authorization: 'x', accept: 'y' },
    list: [{ private_key: 'z' }],
    named: new Map([['password', 'p']]),
    sealed: new SecretText('q'),
    key: undefined,
    secret: true,
  };
  assert.deepEqual(redactFields(record), {
    token: '***',
    headers: { Authorization: '***', accept: 'y' },
    list: [{ private_key: '***' }],
    named: { password: '***' },
    sealed: '***',
    key: undefined,
    secret: true,
  });
});

test('errors become plain objects with their causes, without foreign fields', () => {
  const cause = new Error('inner');
  const error = Object.assign(new TypeError('outer', { cause }), { code: 'E_X', request: { body: 'private' } });
  const { err } = redactFields({ err: error }) as { err: Record<string, unknown> };
  assert.deepEqual(Object.keys(err), ['type', 'code', 'message', 'stack', 'cause']);
  assert.equal(err.code, 'E_X');
  assert.equal((err.cause as Record<string, unknown>).message, 'inner');
});

test('bytes, depth, lists, objects and texts are bounded, and circles end', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const looped = new Error('looped');
  looped.cause = looped;
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 'x'.repeat(10_000)]));
  const record = { bytes: Buffer.alloc(9), list: Array.from({ length: 1000 }, String), circle, looped, wide };
  const text = JSON.stringify(redactFields(record));
  assert.match(text, /"bytes":"\[9 bytes\]"/);
  assert.match(text, /\[950 more\]/);
  assert.match(text, /\[deeper\]/);
  assert.match(text, /"more":450/);
  assert.ok(text.length < 50 * 4200 + 20_000, String(text.length));
});

test('objects of foreign classes are not walked, unless they say how to be written', () => {
  class Socket {
    readonly token = 'abc';
  }
  const record = { socket: new Socket(), url: new URL('https://example.com/a') };
  assert.deepEqual(redactFields(record), { socket: '[Socket]', url: 'https://example.com/a' });
});
