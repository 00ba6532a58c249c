import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** What a provider may say that is not true, or not to be believed. */
export interface ProviderFaults {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs by a key that it does not publish. */
  readonly foreignKey?: boolean;
  readonly noIdToken?: boolean;
  readonly status?: number;
}

/** An identity provider on this machine (OpenID Connect Core, authorization code flow with PKCE). */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Somebody signs in there. @returns the query with which the browser comes back */
  authorize(url: URL, person: Readonly<Record<string, unknown>>, faults?: ProviderFaults): string;
  stop(): Promise<void>;
}

interface Granted {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly person: Readonly<Record<string, unknown>>;
  readonly faults: ProviderFaults;
}

export async function startIdentityProvider(t: TestContext): Promise<IdentityProvider> {
  const clientId = 'waxwing';
  const clientSecret = randomBytes(16).toString('hex');
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const granted = new Map<string, Granted>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const routes: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      }),
      '/jwks': () => ({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] }),
    };
    const route = routes[request.url ?? ''];
    const [status, body] = route === undefined ? redeem(new URLSearchParams(await bodyOf(request))) : [200, route()];
    response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** RFC 6749 §4.1.3, RFC 7636 §4.6. */
  function redeem(form: URLSearchParams): [number, object] {
    const code = form.get('code') ?? '';
    const grant = granted.get(code);
    granted.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri') &&
      form.get('client_secret') === clientSecret;
    if (grant === undefined || !isGood) return [400, { error: 'invalid_grant' }];
    if (grant.faults.status !== undefined) return [grant.faults.status, { error: 'server_error' }];
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      email_verified: true,
      ...grant.person,
      ...grant.faults.claims,
    };
    const idToken = signed(claims, grant.faults.foreignKey ? foreign.privateKey : keys.privateKey);
    return [
      200,
      {
        access_token: 'x',
        token_type: 'Bearer',
        expires_in: 300,
        ...(grant.faults.noIdToken ? {} : { id_token: idToken }),
      },
    ];
  }

  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  t.after(stop);
  return {
    issuer,
    clientId,
    clientSecret,
    authorize(url, person, faults = {}) {
      const asked = url.searchParams;
      const code = randomBytes(16).toString('hex');
      granted.set(code, {
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
        person,
        faults,
      });
      return `?${new URLSearchParams({ code, state: asked.get('state') ?? '' })}`;
    },
    stop,
  };
}

function signed(claims: object, key: Parameters<typeof sign>[2]): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key as never).toString('base64url')}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
