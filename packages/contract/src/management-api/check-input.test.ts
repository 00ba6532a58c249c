import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { allOperations } from './all-operations.ts';
import { inputCheck } from './check-input.ts';
import type { Operation } from './operation.ts';
import { importCertificate } from './operations/certificate-operations.ts';
import { signInWithPasskey } from './operations/sign-in-operations.ts';
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

test('a time is one that can be read', () => {
  const faultsOf = (at: string) => fieldsOf({ name: 'ab', list: [{ at }] });
  for (const at of ['2030-01-31t12:00:00.5+08:00', '2028-02-29T00:00:00z', '2030-01-01T00:00:00-23:59']) {
    assert.deepEqual(faultsOf(at), [], at);
  }
  for (const at of ['2030-12-31T23:59:60Z', '2030-01-31T12:00:00Z[Europe/Paris]', '2030-02-30T00:00:00Z', 'noon']) {
    assert.deepEqual(faultsOf(at), ['list[0].at'], at);
  }
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

test('what is nested deeper than anything here is a fault, not the end of the stack', () => {
  const passkey = inputCheck(signInWithPasskey.body);
  const faults = (response: object) =>
    passkey({
      credential: { id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: 'a', ...response } },
    });
  const nested = (open: string, close: string, depth: number) => ({
    x: JSON.parse(open.repeat(depth) + close.repeat(depth).replace(/^\}/, '1}')) as unknown,
  });
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    assert.deepEqual(faults(nested(open, close, 29)), []);
    for (const depth of [30, 60_000]) {
      const [fault, ...others] = faults(nested(open, close, depth));
      assert.match(fault?.field ?? '', /^credential\.response\.x/);
      assert.deepEqual([fault?.message, others], ['must not be nested more than 32 deep', []]);
    }
  }
});

/** Counts the readings of a value's fields, at any depth. */
function counted<Value extends object>(value: Value): { readonly seen: Value; reads(): number } {
  let reads = 0;
  const watch = (inner: unknown): unknown =>
    typeof inner === 'object' && inner !== null
      ? new Proxy(inner, {
          get(target, name, receiver) {
            reads += 1;
            return watch(Reflect.get(target, name, receiver));
          },
        })
      : inner;
  return { seen: watch(value) as Value, reads: () => reads };
}

test('fields that nobody knows are not gone through, and the first of them are named', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, { y: [n] }]));
  const { seen, reads } = counted({ name: 'ab', list: [{ at: '2030-01-31T12:00:00Z', ...unknown }], ...unknown });
  const faults = check(seen);
  assert.ok(reads() < 200, `${reads()} reads`);
  const named = faults.filter(({ message }) => message === 'is not known here').map(({ field }) => field);
  assert.deepEqual(named.slice(0, 2), ['x0', 'x1']);
  assert.ok(faults.length <= 10, `${faults.length} faults`);
});

test('to tell what is wrong with the body of any operation takes no longer, however much more there is of it', () => {
  for (const { id, body } of (allOperations as readonly Operation[]).filter(({ body }) => body !== undefined)) {
    const check = inputCheck(body ?? {});
    const costs = [1_100, 4_400].map((many) => {
      const { seen, reads } = counted(tooMuchOf(body as Schema, many) as object);
      assert.notDeepEqual(check(seen), [], id);
      return reads();
    });
    assert.equal(costs[1], costs[0], id);
  }
});

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** A large number of wrong items for every array and object. */
function tooMuchOf({ type, anyOf, properties = {}, items = {} }: Schema, many: number): unknown {
  if (anyOf !== undefined) return tooMuchOf(anyOf.find(({ type }) => type !== 'null') ?? {}, many);
  if (type === 'array') return new Array<unknown>(many).fill(tooMuchOf(items, 3));
  if (type !== 'object') return false;
  const unknown = Array.from({ length: many }, (_, n) => [`x${n}`, n]);
  const known = Object.entries(properties).map(([name, schema]) => [name, tooMuchOf(schema, many)]);
  return Object.fromEntries([...known, ...unknown]);
}

test('of many faults the first are told', () => {
  const list = Array.from({ length: 100 }, () => ({ at: 'x' }));
  assert.equal(fieldsOf({ name: 'ab', list })[0], 'list[0].at');
  assert.ok(check({ name: 'ab', list }).length <= 8);
});
