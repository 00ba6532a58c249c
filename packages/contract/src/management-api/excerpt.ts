import type { TSchema } from 'typebox';

/** The parts of a schema that an excerpt follows. */
interface Described {
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: Readonly<Record<string, Described>>;
  readonly maxProperties?: number;
  readonly items?: Described | readonly Described[];
  readonly maxItems?: number;
}

/** How many unknown fields an excerpt keeps. TypeBox spends one of its eight faults on each. */
const unknownFields = 4;

/** The part of a value that decides its faults. TypeBox would walk all of a huge value to report eight faults. */
export function excerpt(value: unknown, schema: TSchema): unknown {
  return excerptOf(value, formsOf(schema as Described));
}

/** @param forms the schemas that the value may follow */
function excerptOf(value: unknown, forms: readonly Described[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [form] = forms;
  if (forms.length === 1 && form?.patternProperties !== undefined && !Array.isArray(value))
    return recordExcerpt(value, form);
  if (!forms.every(isUnderstood)) return value;
  return Array.isArray(value) ? arrayExcerpt(value, forms) : objectExcerpt(value, forms);
}

function arrayExcerpt(value: readonly unknown[], forms: readonly Described[]): unknown[] {
  const items = forms.flatMap((form) => (form.items === undefined ? [] : formsOf(form.items as Described)));
  if (items.length === 0) return [];
  const most = Math.max(...forms.map(({ items, maxItems }) => (items === undefined ? 0 : (maxItems ?? Infinity))));
  return value.slice(0, most + 1).map((item) => excerptOf(item, items));
}

function objectExcerpt(value: object, forms: readonly Described[]): object {
  const known = new Map<string, Described[]>();
  for (const [name, schema] of forms.flatMap(({ properties = {} }) => Object.entries(properties))) {
    known.set(name, [...(known.get(name) ?? []), ...formsOf(schema)]);
  }
  let unknown = 0;
  const names = Object.keys(value).filter((name) => known.has(name) || ++unknown <= unknownFields);
  return Object.fromEntries(
    names.map((name) => {
      const inner = known.get(name);
      return [name, inner === undefined ? null : excerptOf((value as Record<string, unknown>)[name], inner)];
    }),
  );
}

/** One name more than a record may have is refused as a thousand more are. */
function recordExcerpt(value: object, { patternProperties = {}, maxProperties = Infinity }: Described): object {
  const items = Object.values(patternProperties).flatMap(formsOf);
  const names = Object.keys(value).slice(0, maxProperties + 1);
  return Object.fromEntries(names.map((name) => [name, excerptOf((value as Record<string, unknown>)[name], items)]));
}

function formsOf(schema: Described): readonly Described[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(formsOf);
}

/** Whether the excerpt may leave parts out. Schemas with rules about names or places need the whole value. */
function isUnderstood({ additionalProperties, patternProperties, items }: Described): boolean {
  return typeof additionalProperties !== 'object' && patternProperties === undefined && !Array.isArray(items);
}
