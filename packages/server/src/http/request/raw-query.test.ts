import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../runtime/problem.ts';
import { parseQuery, rawQueryOf, valuesOf } from './raw-query.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_103 };
/** Any code point, lone surrogates included. */
const character = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test('a query keeps every value in order, and its names apart by case', () => {
  const query = parseQuery('key=1&KEY=2&key=&%6bey=3&key&&type=a%26b%3D&a+b=c+d=e');
  assert.deepEqual(valuesOf(query, 'key'), ['1', '', '3', '']);
  assert.deepEqual(valuesOf(query, 'type'), ['a&b=']);
  assert.deepEqual(valuesOf(query, 'a b'), ['c d=e']);
  assert.deepEqual(valuesOf(query, 'absent'), []);
  assert.deepEqual(valuesOf(query, '__proto__'), []);
});

test('the query begins behind the first question mark', () => {
  assert.equal(rawQueryOf('/api/certificate'), '');
  assert.equal(rawQueryOf('/api/certificate?'), '');
  assert.equal(rawQueryOf('/api/certificate?a=?&b'), 'a=?&b');
});

test('what is not UTF-8 in percent-encoding is refused', () => {
  for (const query of ['key=%', 'key=%z1', '%ff=1', 'a=%c3&b=%a9']) {
    assert.throws(
      () => parseQuery(query),
      (error) => error instanceof Problem && error.code === 'invalid_request',
    );
  }
});

test('what URLSearchParams writes is read back', () => {
  const text = fc.string({ unit: character }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const query = parseQuery(new URLSearchParams(pairs).toString());
      for (const [name] of pairs) {
        const expected = pairs.filter(([other]) => other === name).map(([, value]) => value);
        assert.deepEqual(valuesOf(query, name), expected);
      }
      assert.equal(query.size, new Set(pairs.map(([name]) => name)).size);
    }),
    runs,
  );
});
