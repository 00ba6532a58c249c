import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTypedNames } from './typed-names.ts';

test('names may be separated in any way, and doubles are merged', () => {
  const { names, doubles, hasFault, hasWildcard } = readTypedNames(
    'WWW.example.com, www.example.com.\n*.example.com；bücher.example、 www.example.com',
  );
  assert.deepEqual(names, [
    { text: 'www.example.com', kind: 'name' },
    { text: '*.example.com', kind: 'wildcard' },
    { text: 'xn--bcher-kva.example', kind: 'name' },
  ]);
  assert.deepEqual([doubles, hasFault, hasWildcard], [2, false, true]);
});

test('what is wrong is said of each name', () => {
  const { names, hasFault } = readTypedNames('localhost https://example.com a_b.example.com 192.0.2.1 ok.example.com');
  assert.deepEqual(
    names.map(({ kind }) => kind),
    ['one_label', 'not_bare', 'underscore', 'address', 'name'],
  );
  assert.ok(hasFault);
  assert.equal(readTypedNames('192.0.2.1').hasFault, false, 'the server knows the profiles');
});

test('a hundred names are allowed, doubles not counted', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => `n${index}.example.com`);
  assert.equal(readTypedNames([...hundred, 'N1.example.com'].join('\n')).isTooMany, false);
  assert.equal(readTypedNames([...hundred, 'one.example.com'].join(' ')).isTooMany, true);
});

test('nothing typed is nothing wrong', () => {
  assert.deepEqual(readTypedNames(' \n, ').names, []);
});
