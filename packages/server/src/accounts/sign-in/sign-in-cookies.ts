import { type Cookie, cookieOf, sessionCookie } from '../../api/session-cookie.ts';

/** A cookie of its own beside the session's, under the same rules. */
type SideCookie = Omit<Cookie, 'give'> & { give(value: string): string };

/** The cookies of signing in. */
export interface SignInCookies {
  readonly session: Cookie;
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
  const side = (suffix: string, seconds: number): SideCookie => {
    const cookie = cookieOf(baseUrl, suffix);
    return { ...cookie, give: (value) => cookie.give(value, seconds) };
  };
  return {
    session: sessionCookie(baseUrl),
    step: side('-step', stepSeconds),
    sso: side('-sso', stepSeconds),
    device: side('-device', deviceSeconds),
  };
}
