/** What a browser does for the console: keeps cookies, and names the origin of the page with each change. */
export interface CookieJar {
  readonly cookies: ReadonlyMap<string, string>;
  /** Asks the management API. @throws when the answer has not the status that is expected */
  ask<T = Record<string, unknown>>(expected: number, method: string, path: string, body?: unknown): Promise<T>;
}

/**
 * @param url where the server listens
 * @param origin that of the base URL
 */
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
