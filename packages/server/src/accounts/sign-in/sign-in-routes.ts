import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import * as operations from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import type { Actor } from '../../api/actor.ts';
import { type Binding, bind } from '../../api/operation-frame.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SessionClient } from '../sessions/session-client.ts';
import type { Links } from './accept-one-time-link.ts';
import type { AnonymousWork } from './anonymous-work.ts';
import type { SignedIn, SignIn, SignInStep } from './sign-in.ts';
import { type SignInCookies, signInCookies } from './sign-in-cookies.ts';
import type { Sso, SsoPurpose } from './sso.ts';

/**
 * The largest body with a credential of WebAuthn. The fields of its schema take up to 12 KiB, the attestation object 6
 * KiB more where a browser adds a chain; browsers also repeat the public key and the authenticator data.
 */
export const credentialBytes = 32_768;

export interface SignInRoutesNeeds {
  readonly people: {
    readonly signIn: SignIn;
    readonly links: Links;
    readonly sso: Sso | undefined;
    readonly anonymousWork: AnonymousWork;
  };
  readonly baseUrl: string;
  readonly clock: Clock;
  /** How long a session lasts at most: the browser keeps its cookie no longer. */
  readonly sessionMs: number;
}

/** What these routes need of a call. */
interface Caller {
  readonly address: string;
  readonly userAgent: string;
  readonly rawHeaders: readonly string[];
  readonly actor: Actor | undefined;
  addHeader(name: string, value: string | string[]): void;
}

/** Signing in, and one-time links (contract: sign-in-operations). */
export function signInRoutes({ people, baseUrl, clock, sessionMs }: SignInRoutesNeeds): readonly Binding[] {
  const { signIn, links, sso, anonymousWork } = people;
  const cookies = signInCookies(baseUrl);
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');

  /** Gives the cookies that belong to how far the sign-in has come. */
  function show(call: Caller, step: SignInStep) {
    if (step.state === 'second-factor') {
      setCookies(call, [cookies.step.give(step.step.reveal())]);
      return { state: 'second_factor' as const, factors: [...step.factors] };
    }
    setCookies(call, sessionCookies(step, cookies, clock.now()));
    return { state: 'signed_in' as const, factors: [] };
  }

  /** A step that is over is forgotten by the browser as well: it would stand in the way of a passkey alone. */
  async function orForget<T>(call: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Problem && error.code === 'sign_in_expired') setCookies(call, [cookies.step.take()]);
      throw error;
    }
  }

  /**
   * Requests of people who are signed in are limited by person. Other callers that hold the link wait among themselves.
   */
  async function unlessTooMany<T>(
    call: Caller,
    link: string,
    work: (found: { readonly described: Awaited<ReturnType<typeof links.describe>> }) => Promise<T>,
  ): Promise<T> {
    const look = async () => ({ described: await links.describe(link), held: hash('sha256', link) });
    return call.actor === undefined ? anonymousWork.forHolder(clientOf(call, cookies), look, work) : work(await look());
  }

  const stepOf = (call: Caller): string => {
    const step = cookies.step.read(call.rawHeaders);
    if (step === undefined) throw new Problem('sign_in_expired');
    return step;
  };

  return [
    bind(operations.showSignInMethods, () => ({ password: true, passkey: isIP(host) === 0, sso: sso !== undefined })),

    bind(operations.signIn, async (call) => {
      const { email, password } = call.body;
      return show(call, await signIn.withPassword(email, password, clientOf(call, cookies)));
    }),

    bind(operations.signInWithCode, async (call) => {
      const { body } = call;
      const proof = 'totp' in body ? { totp: body.totp } : { recoveryCode: body.recovery_code };
      const client = clientOf(call, cookies);
      return show(call, await orForget(call, () => signIn.withSecondFactor(stepOf(call), proof, client)));
    }),

    bind(operations.beginPasskeySignIn, async (call) => ({
      ...(await orForget(call, () =>
        signIn.passkeyOptions(cookies.step.read(call.rawHeaders), clientOf(call, cookies)),
      )),
    })),

    bind(
      operations.signInWithPasskey,
      async (call) => {
        // Looked at in full where it is verified: whatever is wrong with it is one answer.
        const credential = call.body.credential as unknown as AuthenticationResponseJSON;
        const step = cookies.step.read(call.rawHeaders);
        const client = clientOf(call, cookies);
        return show(call, await orForget(call, () => signIn.withPasskey(step, credential, client)));
      },
      { bodyBytes: credentialBytes },
    ),

    bind(operations.beginSsoSignIn, (call) =>
      anonymousWork.forProvider(clientOf(call, cookies), () => beginSso(sso, { kind: 'sign-in' }, call, cookies)),
    ),

    bind(operations.finishSsoSignIn, async (call) => {
      const search = `?${new URLSearchParams(call.query as Record<string, string>)}`;
      const finished = anonymousWork.forProvider(clientOf(call, cookies), () => finishSso(search, call));
      const path = await finished.catch((error: unknown) => {
        if (!(error instanceof Problem) || error.status >= 500) throw error;
        const { code, reason } = error;
        // Never its words: whoever makes up such an address would make the page say them.
        return `/console/sign-in#${new URLSearchParams({ error: code, ...(reason !== undefined && { reason }) })}`;
      });
      call.addHeader('location', baseUrl + path);
      return undefined;
    }),

    bind(operations.describeLink, (call) => unlessTooMany(call, call.body.token, async ({ described }) => described)),

    bind(operations.acceptLink, async (call) => {
      const { token, password } = call.body;
      const signedIn = await unlessTooMany(call, token, () =>
        links.accept(token, password, call.actor, clientOf(call, cookies)),
      );
      if (signedIn === undefined) return { state: 'joined' as const };
      setCookies(call, sessionCookies(signedIn, cookies, clock.now()));
      return { state: 'signed_in' as const };
    }),
  ];

  /** Where the browser goes next. */
  async function finishSso(search: string, call: Caller): Promise<string> {
    const cookie = cookies.sso.read(call.rawHeaders);
    const step = await requireSso(sso).finish(search, cookie, call.actor, clientOf(call, cookies));
    if (step === undefined) {
      setCookies(call, [cookies.sso.take()]);
      return '/console/account';
    }
    if (step.state === 'proven') {
      setCookies(call, [cookies.sso.take(), cookies.session.give(step.cookie.reveal(), sessionMs / 1000)]);
      return '/console/';
    }
    const given =
      step.state === 'signed-in' ? sessionCookies(step, cookies, clock.now()) : [cookies.step.give(step.step.reveal())];
    setCookies(call, [cookies.sso.take(), ...given]);
    return step.state === 'signed-in' ? '/console/' : `/console/sign-in#factors=${step.factors.join(',')}`;
  }
}

/** Leads the browser to the provider. */
export async function beginSso(sso: Sso | undefined, purpose: SsoPurpose, call: Caller, cookies: SignInCookies) {
  const { url, cookie } = await requireSso(sso).begin(purpose);
  setCookies(call, [cookies.sso.give(cookie.reveal())]);
  return { url: url.href };
}

function requireSso(sso: Sso | undefined): Sso {
  if (sso !== undefined) return sso;
  throw new Problem('sso_refused', {
    reason: 'no_identity_provider',
    detail: 'This instance has no identity provider (WAXWING_OIDC_ISSUER).',
  });
}

function sessionCookies(signedIn: SignedIn, cookies: SignInCookies, now: number): readonly string[] {
  const seconds = (signedIn.expiresAt - now) / 1000;
  return [
    cookies.session.give(signedIn.cookie.reveal(), seconds),
    cookies.device.give(signedIn.device.reveal()),
    cookies.step.take(),
  ];
}

export function setCookies(call: Pick<Caller, 'addHeader'>, cookies: readonly string[]): void {
  for (const cookie of cookies) call.addHeader('set-cookie', cookie);
}

export function clientOf(call: Omit<Caller, 'addHeader'>, cookies: Pick<SignInCookies, 'device'>): SessionClient {
  return {
    address: parseAddress(call.address),
    userAgent: call.userAgent,
    device: cookies.device.read(call.rawHeaders),
    session: call.actor?.kind === 'account' ? call.actor : undefined,
  };
}
