import { parseQuery, rawQueryOf } from '../http/request/raw-query.ts';
import { Problem } from '../runtime/problem.ts';

/** The parts of a JSON schema that tell how to read a query. */
interface ParameterSchema {
  readonly type?: string | undefined;
  readonly items?: unknown;
}

/**
 * A query as the object of its schema: texts become numbers, booleans and lists. A text that cannot be converted stays,
 * and the schema check refuses it. A repeated parameter makes a list.
 * @param target the request target
 * @param properties the JSON schemas of the parameters by name
 * @throws Problem `invalid_request` for a query that is not UTF-8; `invalid_parameter` for a repeated single value
 */
export function typedQuery(target: string, properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, values] of parseQuery(rawQueryOf(target))) {
    const schema = Object.hasOwn(properties, name) ? (properties[name] as ParameterSchema) : undefined;
    const value =
      schema?.type === 'array'
        ? values.map((text) => convert(text, schema.items))
        : convert(single(name, values), schema);
    // Defines an own property even for `__proto__`.
    Object.defineProperty(read, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return read;
}

function single(name: string, values: readonly string[]): string {
  const [value = '', ...others] = values;
  if (others.length === 0) return value;
  throw new Problem('invalid_parameter', { field: name, detail: `${name} is given more than once.` });
}

function convert(text: string, schema: unknown): unknown {
  const { type } = (schema ?? {}) as ParameterSchema;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
