/** The JSON schemas of a document. Schemas with an `$id` stand once in `components/schemas` and are referred to. */
export interface SchemaCollection {
  /** The schema, with references instead of the parts with an `$id`. */
  use(schema: object): JsonObject;
  /** The schemas referred to, by name, sorted. */
  components(): JsonObject;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export function createSchemaCollection(): SchemaCollection {
  const named = new Map<string, { readonly source: string; readonly schema: JsonObject }>();

  /** A place may describe the value in its own words. OpenAPI 3.1 allows that beside a reference. */
  function refer(name: string, description: Json | undefined): JsonObject {
    const isUsual = description === named.get(name)?.schema.description;
    return { $ref: `#/components/schemas/${name}`, ...(!isUsual && description !== undefined && { description }) };
  }

  function use(schema: object): JsonObject {
    const { $id, ...rest } = schema as { readonly $id?: string; readonly description?: string };
    if ($id === undefined) return inline(rest);
    const source = JSON.stringify({ ...rest, description: undefined });
    const known = named.get($id);
    if (known !== undefined && known.source !== source) throw new Error(`two schemas are named ${$id}`);
    if (known === undefined) named.set($id, { source, schema: inline(rest) });
    return refer($id, rest.description);
  }

  function inline(schema: object): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, part(name, value as Json)]));
  }

  /** `properties` maps field names, not keywords, to schemas. */
  function part(name: string, value: Json): Json {
    if (Array.isArray(value)) return value.map((item: Json) => (isObject(item) ? use(item) : item));
    if (!isObject(value)) return value;
    if (name !== 'properties') return use(value);
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, use(inner as JsonObject)]));
  }

  return {
    use,
    components: () =>
      Object.fromEntries(
        [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, { schema }]) => [name, schema]),
      ),
  };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
