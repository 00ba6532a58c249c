import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { importCertificate } from './certificate-operations.ts';
import { inputCheck } from './check-input.ts';
import { closed } from './shared-schemas.ts';

const check = inputCheck(
  Type.Object(
    {
      name: Type.String({ minLength: 2 }),
      kind: Type.Optional(Type.Enum(['pem', 'der'])),
      list: Type.Optional(Type.Array(Type.Object({ at: Type.String({ format: 'date-time' }) }, closed))),
      most: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    },
    closed,
  ),
);

const fieldsOf = (value: unknown) => check(value).map(({ field }) => field);

test('what is described has no faults', () => {
  const at = '2030-01-31T12:00:00Z';
  for (const value of [{ name: 'ab' }, { name: 'ab', kind: 'der', list: [{ at }], most: null }]) {
    assert.deepEqual(check(value), []);
  }
});

test('every fault names its field, each field once', () => {
  assert.deepEqual(fieldsOf({}), ['name']);
  assert.deepEqual(fieldsOf({ name: 'a', kind: 'p12', list: [{ at: 'x' }, { at: 1, more: 1 }], odd: 1 }).sort(), [
    'kind',
    'list[0].at',
    'list[1].at',
    'list[1].more',
    'name',
    'odd',
  ]);
  assert.deepEqual(fieldsOf({ name: 'ab', most: 0 }), ['most']);
  assert.deepEqual(check({ name: 'ab', kind: 'p12' }), [{ field: 'kind', message: 'must be one of pem, der' }]);
  assert.deepEqual(check({ name: 'ab', nme: 1 }), [{ field: 'nme', message: 'is not known here' }]);
});

test('what is no object at all is a fault of the whole', () => {
  for (const value of [null, 7, 'x', []]) assert.deepEqual(fieldsOf(value), ['']);
});

test('a name from an object of JavaScript is not taken for a field', () => {
  assert.deepEqual(fieldsOf(JSON.parse('{"name":"ab","__proto__":{"kind":"pem"}}')), ['__proto__']);
  assert.deepEqual(fieldsOf(JSON.parse('{"name":"ab","constructor":1}')), ['constructor']);
});

test('a text that no database can hold is a fault wherever it stands', () => {
  const files = inputCheck(importCertificate.body);
  const faults = (text: string) => files({ files: [{ name: 'a', text }] }).map(({ field }) => field);
  assert.deepEqual(faults('x'), []);
  assert.deepEqual(faults('a\0'), ['files[0].text']);
  assert.deepEqual(faults('\ud800'), ['files[0].text']);
});

test('of many faults the first are told', () => {
  const list = Array.from({ length: 100 }, () => ({ at: 'x' }));
  assert.equal(fieldsOf({ name: 'ab', list })[0], 'list[0].at');
  assert.ok(check({ name: 'ab', list }).length <= 8);
});
