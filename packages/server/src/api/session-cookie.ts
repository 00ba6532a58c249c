import { headerLines } from '../http/request/raw-headers.ts';

export interface Cookie {
  readonly name: string;
  /** Undefined when it is absent, empty, or present with different values. */
  read(rawHeaders: readonly string[]): string | undefined;
  /** The `Set-Cookie` that sets it. @param maxAgeSeconds undefined: until the browser closes */
  give(value: string, maxAgeSeconds?: number): string;
  /** The `Set-Cookie` that removes it. */
  take(): string;
}

/**
 * The session's cookie, or one beside it. The prefix `__Host-` keeps sibling hosts and plain-text pages from planting it
 * (RFC 6265bis §4.1.3.2).
 * @param suffix empty for the session's
 */
export function cookieOf(baseUrl: string, suffix: string): Cookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = `${isSecure ? '__Host-waxwing' : 'waxwing'}${suffix}`;
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

export const sessionCookie = (baseUrl: string): Cookie => cookieOf(baseUrl, '');

/** From all `Cookie` lines. */
function readCookie(rawHeaders: readonly string[], name: string): string | undefined {
  const prefix = `${name}=`;
  const values = headerLines(rawHeaders, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
    .filter((value) => value !== '');
  return new Set(values).size === 1 ? values[0] : undefined;
}
