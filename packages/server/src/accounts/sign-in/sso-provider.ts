import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Configuration } from 'openid-client';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';

export interface SsoProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: SecretText | undefined;
  readonly clientSecretFile: string | undefined;
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
}

/** What the provider says of a person, after every check of OpenID Connect Core §3.1.3.7. */
export type SsoClaims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** An identity provider, by the authorization code flow with PKCE, state and nonce. */
export interface SsoProvider {
  /**
   * Where to send the browser.
   * @param browserSecret known to this browser alone: state, nonce and PKCE verifier are derived from it
   * @param maxAgeSeconds asks for a sign-in that is no older, and for its time. The time must be checked, because the
   * person at the browser can remove this from the address.
   * @throws Problem `service_unavailable` when the provider cannot be reached
   */
  authorizationUrl(browserSecret: string, maxAgeSeconds?: number): Promise<URL>;
  /**
   * Takes what the browser came back with.
   * @param search the query of the callback, as received
   * @throws Problem `sso_refused`, `service_unavailable`
   */
  redeem(search: string, browserSecret: string): Promise<SsoClaims>;
}

const timeoutSeconds = 10;
/** So long what the provider says about itself is believed without asking again. */
const discoveredForMs = 3_600_000;

export function createSsoProvider(options: SsoProviderOptions, monotonic: () => number): SsoProvider {
  let known: { readonly configuration: Configuration; readonly at: number } | undefined;
  let asking: Promise<Configuration> | undefined;

  async function configuration(): Promise<Configuration> {
    if (known !== undefined && monotonic() - known.at <= discoveredForMs) return known.configuration;
    // Once for all who come meanwhile: anybody may begin a sign-in, and the provider may be slow.
    asking ??= unavailableOnFailure(discover(options)).finally(() => {
      asking = undefined;
    });
    known = { configuration: await asking, at: monotonic() };
    return known.configuration;
  }

  return {
    async authorizationUrl(browserSecret, maxAgeSeconds) {
      const { state, nonce, verifier } = derived(browserSecret);
      const oidc = await loadClient();
      return oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: options.redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // `max_age` makes `auth_time` required in the ID token (OpenID Connect Core §3.1.2.1), `prompt` asks the person also
        // where a sign-in is nearly too old. Not `max_age=0`: some providers then ask for ever.
        ...(maxAgeSeconds !== undefined && { prompt: 'login', max_age: String(maxAgeSeconds) }),
      });
    },

    async redeem(search, browserSecret) {
      const { state, nonce, verifier } = derived(browserSecret);
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const config = await configuration();
      const url = new URL(options.redirectUri + search);
      const oidc = await loadClient();
      const tokens = await oidc.authorizationCodeGrant(config, url, checks).catch((cause: unknown) => {
        throw refusalOf(cause);
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Problem('sso_refused', { reason: 'not_vouched' });
      return claims;
    },
  };
}

/** At the first sign-in: most servers have no identity provider. */
function loadClient() {
  return import('openid-client');
}

async function discover(options: SsoProviderOptions): Promise<Configuration> {
  const oidc = await loadClient();
  const issuer = new URL(options.issuer);
  const secret = options.clientSecret?.reveal() ?? readSecret(options.clientSecretFile);
  const authentication = secret === undefined ? oidc.None() : oidc.ClientSecretPost(secret);
  const execute = [
    // Its signature too, although the token came over TLS: it may say who runs this instance.
    oidc.enableNonRepudiationChecks,
    // The setting admits plain HTTP on this machine only.
    ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
  ];
  return oidc.discovery(issuer, options.clientId, undefined, authentication, { execute, timeout: timeoutSeconds });
}

function readSecret(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, 'utf8').trim();
}

/**
 * Three values that nobody can tell from each other or from the browser's secret: nothing of them needs to be kept here,
 * and only the browser that began can finish.
 */
function derived(browserSecret: string) {
  const derive = (label: string) => createHmac('sha256', browserSecret).update(`sso ${label}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

async function unavailableOnFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** A provider that does not answer is another thing than one that says no, or whose answer is not to be trusted. */
function refusalOf(cause: unknown): Problem {
  const isNetwork = cause instanceof TypeError && cause.message === 'fetch failed';
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (isNetwork || isTimeout || code === 'OAUTH_TIMEOUT') return unreachable(cause);
  return new Problem('sso_refused', { reason: 'not_vouched', cause });
}

function unreachable(cause: unknown): Problem {
  return new Problem('service_unavailable', { detail: 'The identity provider cannot be reached.', cause });
}
