import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerLines, trimBlanks } from './raw-headers.ts';

test('every line of a header is found, whatever its case, in order', () => {
  const raw = ['Host', 'a', 'X-Api-Key', '1', 'x-api-key2', 'no', 'X-API-KEY', '\t2 ', 'x-api-key', ''];
  assert.deepEqual(headerLines(raw, 'x-api-key'), ['1', '2', '']);
  assert.deepEqual(headerLines(raw, 'authorization'), []);
  assert.deepEqual(headerLines(['value', 'x-api-key'], 'x-api-key'), [], 'a value is no name');
});

test('only space and tab are blanks', () => {
  assert.equal(trimBlanks(' \ta b\t '), 'a b');
  assert.equal(trimBlanks('\u00a0a'), '\u00a0a');
  assert.equal(trimBlanks(' \t '), '');
});
