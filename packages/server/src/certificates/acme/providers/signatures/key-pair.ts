import { createHash, createHmac } from 'node:crypto';

/** An access key of a cloud. */
export interface KeyPair {
  readonly id: string;
  readonly secret: string;
}

export interface SigningMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Never used twice. */
  readonly nonce: string;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function hmacSha256(key: string | Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20060102T150405Z` */
export function basicTime(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** RFC 3986: all but unreserved characters as `%XX`. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** In order of the names, as it is signed and sent. */
export function canonicalQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => [percentEncode(name), percentEncode(value)] as const);
  const ordered = pairs.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return ordered.map((pair) => pair.join('=')).join('&');
}

/** The request in the form that is hashed, the same for all four: AWS invented it, the others follow. */
export function canonicalRequest(request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): { readonly text: string; readonly signedHeaders: string } {
  const { method, path, query, headers, body } = request;
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join('');
  const signedHeaders = names.join(';');
  return { text: [method, path, query, lines, signedHeaders, sha256Hex(body)].join('\n'), signedHeaders };
}

export function urlOf(host: string, path: string, query: string): string {
  return `https://${host}${path}${query === '' ? '' : `?${query}`}`;
}
