import { Problem } from '../runtime/problem.ts';
import { parseQuery, rawQueryOf } from './raw-query.ts';

/** What is needed of a JSON schema to read a query. */
interface ParameterSchema {
  readonly type?: string | undefined;
  readonly items?: unknown;
}

/**
 * A query as the object its schema describes: texts become the numbers, booleans and lists that are meant. What cannot be
 * converted stays a text, for the schema to complain about. A list is given by repeating its parameter.
 * @param target the request target
 * @param properties the JSON schemas of the parameters by name
 * @throws Problem `invalid_request` for a query that is not UTF-8; `invalid_parameter` for a single value given twice
 */
export function typedQuery(target: string, properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, values] of parseQuery(rawQueryOf(target))) {
    const schema = Object.hasOwn(properties, name) ? (properties[name] as ParameterSchema) : undefined;
    const value =
      schema?.type === 'array'
        ? values.map((text) => convert(text, schema.items))
        : convert(single(name, values), schema);
    // An own property, whatever its name: `__proto__` is a parameter like others.
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
