import { Problem } from '../../runtime/problem.ts';

/** Every value of every parameter, in the order received. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

const empty: QueryParameters = new Map();
const noValues: readonly string[] = Object.freeze([]);

/** What follows the first `?` of an origin-form request target; empty when there is none. */
export function rawQueryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/**
 * Reads a query as HTML forms write it: `&` between parameters, `+` and `%20` are a space, a parameter without `=` is
 * empty. Names are case-sensitive. Nothing is dropped, so that a parameter given twice can be told.
 * @throws Problem `invalid_request` when a percent-encoding is not UTF-8.
 */
export function parseQuery(rawQuery: string): QueryParameters {
  if (rawQuery === '') return empty;
  const parameters = new Map<string, string[]>();
  for (const part of rawQuery.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** All values of one parameter; none when it is absent. */
export function valuesOf(parameters: QueryParameters, name: string): readonly string[] {
  return parameters.get(name) ?? noValues;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new Problem('invalid_request', { detail: 'The query is not percent-encoded UTF-8.', cause });
  }
}
