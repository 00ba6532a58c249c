import { headerLines } from './raw-headers.ts';

/** The cookie that carries a session. */
export interface SessionCookie {
  readonly name: string;
  /** Its value; undefined when it is absent, empty, or there twice with different values: nobody can say which is meant. */
  read(rawHeaders: readonly string[]): string | undefined;
  /** The `Set-Cookie` that gives it. @param maxAgeSeconds undefined: until the browser is closed */
  give(value: string, maxAgeSeconds?: number): string;
  /** The `Set-Cookie` that takes it away. */
  take(): string;
}

/**
 * Over HTTPS the name begins with `__Host-`: a browser accepts such a cookie only with Secure, Path=/ and no Domain, so
 * that no sibling host and no plain-text page can plant one (RFC 6265bis §4.1.3.2).
 */
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

/** The value of a cookie, from all `Cookie` lines. */
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
