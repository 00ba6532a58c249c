import type { TSchema } from 'typebox';

/** As much of a schema as says what of a value is looked at. */
interface Described {
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly items?: Described | readonly Described[];
  readonly maxItems?: number;
}

/** So many of the fields that an object's schema does not know: of the eight faults, TypeBox spends one on each. */
const unknownFields = 4;

/**
 * As much of a value as its faults are told from, so that telling them costs no more than the schema says: an object's known
 * fields and a few that are not, one item more than an array may have, nothing of what stands in the place of something else.
 * What has faults has some in here as well. (TypeBox goes through all there is to tell eight of them: 53 ms for 28,000 fields
 * that nobody knows.)
 */
export function excerpt(value: unknown, schema: TSchema): unknown {
  return excerptOf(value, formsOf(schema as Described));
}

/** @param forms whichever of them it has */
function excerptOf(value: unknown, forms: readonly Described[]): unknown {
  if (typeof value !== 'object' || value === null || !forms.every(isUnderstood)) return value;
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

function formsOf(schema: Described): readonly Described[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(formsOf);
}

/** Whether what is left out of a value makes no difference. Where names or places have schemas by rules, it does. */
function isUnderstood({ additionalProperties, patternProperties, items }: Described): boolean {
  return typeof additionalProperties !== 'object' && patternProperties === undefined && !Array.isArray(items);
}
