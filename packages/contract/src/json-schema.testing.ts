import fc, { type Arbitrary } from 'fast-check';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Values that a schema of the contract describes, with every awkward character that can be stored. */
export function valuesOf(schema: object): Arbitrary<unknown> {
  const { type, anyOf, enum: choices, const: only, ...of } = schema as Schema;
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valuesOf));
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (only !== undefined) return fc.constant(only);
  switch (type) {
    case 'object':
      return objectsOf(of);
    case 'array':
      return fc.array(valuesOf(of.items ?? {}), {
        minLength: of.minItems ?? 0,
        maxLength: Math.min(of.maxItems ?? 5, (of.minItems ?? 0) + 5),
      });
    case 'integer':
      return fc.integer({ min: of.minimum ?? -1_000_000, max: of.maximum ?? 1_000_000 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textsOf(of);
    default:
      throw new Error(`json-schema.testing.ts does not know ${JSON.stringify(schema)}`);
  }
}

function objectsOf({ properties = {}, required = [], minProperties = 0 }: Schema): Arbitrary<unknown> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valuesOf(inner)]));
  return fc
    .record(model, { requiredKeys: [...required] })
    .filter((value) => Object.keys(value).length >= minProperties);
}

function textsOf({ pattern, format, minLength = 0, maxLength = 40 }: Schema): Arbitrary<string> {
  if (format === 'date-time') {
    const [min, max] = [new Date('1971-01-01T00:00:00Z'), new Date('2999-01-01T00:00:00Z')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (pattern !== undefined) {
    // fast-check cannot look ahead, so the demanded characters are added afterwards.
    const loose = new RegExp(pattern.replace(/\(\?=[^)]*\)/g, ''));
    return fc.stringMatching(loose).filter((text) => text.length <= 200 && new RegExp(pattern).test(text));
  }
  const most = Math.min(maxLength, minLength + 40);
  return fc
    .string({ unit: 'binary', minLength, maxLength: most })
    .map((text) => text.replaceAll('\0', '\u0001'))
    .filter((text) => text.length >= minLength && [...text].length <= maxLength);
}

/** A value with one fault in it, as broken clients send it. */
export function brokenValues(schema: object): Arbitrary<unknown> {
  const whole = valuesOf(schema);
  return fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, [], {}, '', 0, -1, 1e300, true, '\0', '\ud800', [[]]),
    fc.tuple(whole, fc.nat(), fc.jsonValue()).map(([value, at, odd]) => replaceOne(value, at, odd)),
    fc.tuple(whole, fc.nat()).map(([value, at]) => replaceOne(value, at, undefined)),
    fc
      .tuple(whole, fc.string({ maxLength: 20 }), fc.jsonValue())
      .map(([value, name, odd]) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries([...Object.entries(value), [name, odd]])
          : value,
      ),
  );
}

/** @param odd undefined removes the field */
function replaceOne(value: unknown, at: number, odd: unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const index = at % value.length;
    return value.map((item, position) => (position === index ? replaceOne(item, Math.floor(at / 7), odd) : item));
  }
  if (typeof value !== 'object' || value === null) return odd;
  const names = Object.keys(value);
  const name = names[at % Math.max(1, names.length)];
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key !== name) return [[key, inner]];
      return odd === undefined ? [] : [[key, at % 3 === 0 ? replaceOne(inner, Math.floor(at / 3), odd) : odd]];
    }),
  );
}
