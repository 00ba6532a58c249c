import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { brokenValues } from '../json-schema.testing.ts';
import { allOperations } from './all-operations.ts';
import { excerpt } from './excerpt.ts';
import type { Operation } from './operation.ts';
import { closed, nullable } from './shared-schemas.ts';

const Item = Type.Object({ at: Type.String() }, closed);
const list = nullable(Type.Array(Item, { maxItems: 2 }));

test('of an array there is one item more than it may have', () => {
  const items = [1, 2, 3, 4].map((n) => ({ at: `${n}` }));
  assert.deepEqual(excerpt(items, list), items.slice(0, 3));
  assert.deepEqual(excerpt(items, Type.Array(Item)), items);
});

test('of an object there are its known fields, a few others, and nothing of what they hold', () => {
  const odd = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x${n}`, { deep: [n] }]));
  assert.deepEqual(excerpt({ ...odd, at: 'a' }, Item), { x0: null, x1: null, x2: null, x3: null, at: 'a' });
});

test('of what stands in the place of something else there is nothing', () => {
  assert.deepEqual(excerpt({ at: [[1], 2] }, Item), { at: [] });
  assert.deepEqual(excerpt([[1], 2], Item), []);
  assert.deepEqual(excerpt({ a: { b: 1 } }, list), { a: null });
});

test('in a union there is what any of its forms knows', () => {
  const either = Type.Union([Item, Type.Object({ list, at: Type.Array(Item) }, closed)]);
  const value = { at: [{ at: 'a', list: 1 }], list: null };
  assert.deepEqual(excerpt(value, either), { at: [{ at: 'a', list: null }], list: null });
});

test('where names have schemas by rules, everything counts', () => {
  const record = Type.Record(Type.String(), Type.Integer());
  const value = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x${n}`, n]));
  assert.deepEqual(excerpt(value, record), value);
  assert.deepEqual(excerpt(value, Type.Object({}, { additionalProperties: Type.Integer() })), value);
});

test('whatever has faults has some in its excerpt, and nothing else has', () => {
  for (const { body } of (allOperations as readonly Operation[]).filter(({ body }) => body !== undefined)) {
    const schema = body as TSchema;
    const compiled = Compile(schema);
    fc.assert(
      fc.property(brokenValues(schema), (value) => compiled.Check(value) === compiled.Check(excerpt(value, schema))),
      { seed: 20_260_401, numRuns: 50 },
    );
  }
});
