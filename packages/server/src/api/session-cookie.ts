import { headerLines } from '../http/request/raw-headers.ts';

export interface SessionCookie {
  readonly name: string;
  /** Undefined when it is absent, empty, or present with different values. */
  read(rawHeaders: readonly string[]): string | undefined;
  /** The `Set-Cookie` that sets it. @param maxAgeSeconds undefined: until the browser closes */
  give(value: string, maxAgeSeconds?: number): string;
  /** The `Set-Cookie` that removes it. */
  take(): string;
}

/** The prefix `__Host-` keeps sibling hosts and plain-text pages from planting it (RFC 6265bis §4.1.3.2). */
export function sessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-waxwing' : 'waxwing';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: (rawHeaders) => readCookie(rawHeaders, name),
    give(value, maxAgeSeconds) {
      const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${Math.floor(maxAgeSeconds)}`;
      return `${name}=${value}; ${attributes}${age}`;
    },
    take: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** From all `Cookie` lines. */
export function readCookie(rawHeaders: readonly string[], name: string): string | undefined {
  const prefix = `${name}=`;
  const values = headerLines(rawHeaders, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
    .filter((value) => value !== '');
  return new Set(values).size === 1 ? values[0] : undefined;
}
