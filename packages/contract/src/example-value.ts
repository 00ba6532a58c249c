import type { Json, JsonObject } from './schema-collection.ts';

/** A small example value that fits a schema of the document. */
export function exampleOf(schema: JsonObject, components: JsonObject): Json {
  const { $ref, type, format, properties, items, anyOf } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return knownExamples[name] ?? exampleOf((components[name] ?? {}) as JsonObject, components);
  }
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [choice] = [schema.enum, anyOf].filter(Array.isArray).flat() as Json[];
  if (choice !== undefined) return anyOf === undefined ? choice : exampleOf(choice as JsonObject, components);
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((properties ?? {}) as JsonObject).map(([name, inner]) => [
          name,
          exampleOf(inner as JsonObject, components),
        ]),
      );
    case 'array':
      return [exampleOf((items ?? {}) as JsonObject, components)];
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1));
    case 'boolean':
      return true;
    default:
      return format === 'date-time' ? '2030-01-31T12:00:00.000Z' : '…';
  }
}

const knownExamples: Readonly<Record<string, Json>> = {
  Id: '0190c3a5-7c1e-7b2a-9d3e-2f6f1c0a9b11',
  OrganizationId: '0190c3a5-7c1e-7b2a-9d3e-2f6f1c0a9b11',
  Name: 'web-1',
  AllowList: ['203.0.113.7', '2001:db8::/32'],
};
