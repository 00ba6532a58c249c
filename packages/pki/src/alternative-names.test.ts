import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generalName, readAlternativeNames } from './alternative-names.ts';
import { readDer } from './der/der.ts';
import { primitive, sequence } from './der/der-writer.ts';

const read = (...names: Buffer[]) => readAlternativeNames(readDer(sequence(...names)));

test('names keep their order, in lower case and canonical form, each once', () => {
  const names = [
    'WWW.Example.com',
    '10.0.0.1',
    '*.example.com',
    '2001:db8:0:0:0:0:0:1',
    'xn--bcher-kva.example',
    '::',
    'www.example.com',
  ];
  assert.deepEqual(read(...names.map(generalName)), {
    domains: ['www.example.com', '10.0.0.1', '*.example.com', '2001:db8::1', 'xn--bcher-kva.example', '::'],
    malformed: [],
  });
});

test('other kinds of names are passed over', () => {
  const email = primitive(1, Buffer.from('a@example.com'));
  const uri = primitive(6, Buffer.from('https://example.com'));
  assert.deepEqual(read(email, uri), { domains: [], malformed: [] });
});

test('what cannot be a name of a server is malformed', () => {
  for (const name of [
    '',
    '.',
    'a..b',
    'example.com.',
    '-a.example',
    'a b.example',
    'a.example\0.b',
    'a.example,DNS:b.example',
    'w*.example',
    '*',
    '*.*.example',
    'bücher.example',
    'a'.repeat(64),
    `${'a.'.repeat(127)}a`,
  ]) {
    assert.equal(read(primitive(2, Buffer.from(name, 'latin1'))).malformed.length, 1, JSON.stringify(name));
  }
  for (const size of [0, 3, 5, 8, 17, 32])
    assert.equal(read(primitive(7, Buffer.alloc(size))).malformed.length, 1, `${size}`);
});
