import { readCookie, type SessionCookie, sessionCookie } from '../../api/session-cookie.ts';

/** A cookie of its own beside the session's, under the same rules. */
export interface SideCookie {
  read(rawHeaders: readonly string[]): string | undefined;
  give(value: string): string;
  take(): string;
}

/** The cookies of signing in. */
export interface SignInCookies {
  readonly session: SessionCookie;
  /** A sign-in that waits for its second factor. */
  readonly step: SideCookie;
  /** A sign-in by the identity provider, while the browser is there. */
  readonly sso: SideCookie;
  /** Marks a browser from which somebody has signed in. */
  readonly device: SideCookie;
}

const stepSeconds = 600;
const deviceSeconds = 90 * 86_400;

export function signInCookies(baseUrl: string): SignInCookies {
  const session = sessionCookie(baseUrl);
  const isSecure = baseUrl.startsWith('https:');
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const side = (name: string, seconds: number): SideCookie => {
    const full = `${session.name}-${name}`;
    return {
      read: (rawHeaders) => readCookie(rawHeaders, full),
      give: (value) => `${full}=${value}; ${attributes}; Max-Age=${seconds}`,
      take: () => `${full}=; ${attributes}; Max-Age=0`,
    };
  };
  return {
    session,
    step: side('step', stepSeconds),
    sso: side('sso', stepSeconds),
    device: side('device', deviceSeconds),
  };
}
