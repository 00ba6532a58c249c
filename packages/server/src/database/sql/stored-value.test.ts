import assert from 'node:assert/strict';
import test from 'node:test';
import { UnstorableValue } from './database-errors.ts';
import { toStoredRows, toStoredValue, toStoredValues } from './stored-value.ts';

const name = () => 'it';

test('text, exact numbers, bytes and null pass as they are', () => {
  const bytes = new Uint8Array([0, 255]);
  for (const value of ['', 'ä😀', 0, -1, 1.5, Number.MAX_SAFE_INTEGER, null, bytes]) {
    assert.equal(toStoredValue(value, name), value);
  }
});

test('what the databases would change or refuse is refused by name', () => {
  const cases: [value: unknown, text: RegExp][] = [
    [undefined, /it is undefined/],
    [true, /it is a boolean/],
    [1n, /it is a bigint/],
    [new Date(0), /it is Date/],
    [{}, /it is Object/],
    [['a'], /it is Array/],
    [Number.NaN, /cannot be stored exactly/],
    [Number.POSITIVE_INFINITY, /cannot be stored exactly/],
    [2 ** 53, /cannot be stored exactly/],
    ['a\0b', /it holds U\+0000/],
  ];
  for (const [value, text] of cases) {
    assert.throws(
      () => toStoredValue(value, name),
      (error) => error instanceof UnstorableValue && text.test(error.message),
      String(value),
    );
  }
});

test('a lone surrogate becomes U+FFFD', () => {
  assert.equal(toStoredValue('a\ud800b', name), 'a\ufffdb');
});

test('an error names the parameter, or the row and column', () => {
  assert.throws(() => toStoredValues(['a', undefined]), /parameter 2 is undefined/);
  assert.throws(
    () =>
      toStoredRows(
        ['a', 'b'],
        [
          ['x', 1],
          ['y', '\0'],
        ],
      ),
    /row 1, column b holds U\+0000/,
  );
  assert.throws(() => toStoredRows(['a', 'b'], [['x']]), /row 0 has 1 values for 2 columns/);
});
