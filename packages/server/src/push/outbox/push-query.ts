import type { PushParameters } from './push-event.ts';

/**
 * The raw query string of a push, without its `?`.
 * @param ownQuery the query of the customer's URL as it is sent, without its `?`; stays in front untouched
 */
export function rawQuery(parameters: PushParameters, ownQuery: string): string {
  let query = ownQuery;
  for (const name in parameters) {
    const value = encodeValue(parameters[name] as string);
    query += query === '' || query.endsWith('&') ? `${name}=${value}` : `&${name}=${value}`;
  }
  return query;
}

const unreserved = /^[A-Za-z0-9\-._~]*$/;

/** Percent-encoded UTF-8 with all but the unreserved characters of RFC 3986 §2.3; lone surrogates become U+FFFD. */
function encodeValue(text: string): string {
  if (unreserved.test(text)) return text;
  // encodeURIComponent leaves these five as they are, and throws at a lone surrogate.
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
