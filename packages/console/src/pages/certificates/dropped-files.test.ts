import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsByFile, readDroppedFile, withFiles } from './dropped-files.ts';

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test('a PEM file goes as text', async () => {
  const text = '# mine\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  assert.deepEqual(await readDroppedFile(file('a.pem', text)), {
    name: 'a.pem',
    size: text.length,
    content: { name: 'a.pem', text },
  });
});

const binary: readonly [what: string, bytes: Uint8Array<ArrayBuffer>][] = [
  ['that is no UTF-8', Uint8Array.from([0x30, 0x82, 0xff, 0xfe])],
  ['without a PEM block', new TextEncoder().encode('hello')],
  ['with a PEM block and U+0000', new TextEncoder().encode('-----BEGIN X-----\0')],
  ['of 100,000 bytes', new Uint8Array(100_000).fill(200)],
];

for (const [what, bytes] of binary) {
  test(`a file ${what} goes in base64`, async () => {
    const { content } = await readDroppedFile(file('b.der', bytes));
    assert.ok('base64' in content);
    assert.deepEqual(Buffer.from(content.base64, 'base64'), Buffer.from(bytes));
  });
}

test('a file that is dropped again takes the place of the former one', async () => {
  const [a1, b, a2] = await Promise.all([file('a', '1'), file('b', '2'), file('a', '3')].map(readDroppedFile));
  assert.ok(a1 && b && a2);
  assert.deepEqual(withFiles([a1, b], [a2]), [b, a2]);
});

test('each fault stands beside the file it is about', () => {
  const names = ['site.pem', 'key.pem', 'chain.p12'];
  const block = { field: 'site.pem', message: 'The block is damaged.', file: 'site.pem' };
  const password = { field: 'password', message: 'chain.p12: it is encrypted; give its password.', file: 'chain.p12' };
  const schema = { field: 'files[1].text', message: 'must not contain U+0000' };
  const key = { field: 'key', message: 'No private key was found; give one.' };
  const { byFile, others } = faultsByFile(names, [block, password, schema, key]);
  assert.deepEqual(
    [...byFile],
    [
      ['site.pem', [block]],
      ['chain.p12', [password]],
      ['key.pem', [schema]],
    ],
  );
  assert.deepEqual(others, [key]);
});
