/** A browser's part for the console: keeps cookies, and sends the origin with each change. */
export interface CookieJar {
  readonly cookies: ReadonlyMap<string, string>;
  /** Calls the management API. @throws for another status than expected */
  ask<T = Record<string, unknown>>(expected: number, method: string, path: string, body?: unknown): Promise<T>;
}

/** @param url where the server listens. @param origin of the base URL */
export function newCookieJar(url: string, origin: string): CookieJar {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async ask<T>(expected: number, method: string, path: string, body?: unknown) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(method !== 'GET' && { origin }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = await answer.text();
      if (answer.status !== expected) throw new Error(`${method} ${path} → ${answer.status}: ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as T;
    },
  };
}
