import type { Ground } from '../audit/ground.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createAccountHousekeeping } from './account-housekeeping.ts';
import { createPasskeys, type Passkeys } from './factors/manage-passkeys.ts';
import { createRecoveryCodes, type RecoveryCodes } from './factors/manage-recovery-codes.ts';
import { createTotp, type Totp } from './factors/manage-totp.ts';
import { createHashNewPassword } from './factors/new-password.ts';
import { type Argon2Parameters, createPasswordHasher } from './factors/password-hash.ts';
import { sealedTotpSecrets } from './factors/sealed-totp-secrets.ts';
import { createSignInBudgets } from './factors/sign-in-budgets.ts';
import { createMembers, type Members } from './members.ts';
import { createOperators, type Operators } from './operator.ts';
import { createOwnAccounts, type OwnAccounts } from './own-account.ts';
import type { SessionLimits } from './sessions/session-rules.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createLinks, type Links } from './sign-in/accept-one-time-link.ts';
import { type AnonymousWork, createAnonymousWork } from './sign-in/anonymous-work.ts';
import { createSignIn, type SignIn } from './sign-in/sign-in.ts';
import { createSso, type Sso, type SsoNeeds } from './sign-in/sso.ts';
import { createSsoProvider } from './sign-in/sso-provider.ts';
import { parseSsoRule } from './sign-in/sso-rules.ts';

/** People, and how they prove who they are. */
export interface People {
  readonly operators: Operators;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  /** Undefined where no identity provider is configured. */
  readonly sso: Sso | undefined;
  readonly links: Links;
  readonly anonymousWork: AnonymousWork;
  readonly ownAccounts: OwnAccounts;
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  readonly recoveryCodes: RecoveryCodes;
  readonly members: Members;
  readonly sealedStore: ReturnType<typeof sealedTotpSecrets>;
  /** What only a server runs. */
  readonly workers: readonly Worker[];
  /** Waits until work that no caller waits for is done. */
  close(): Promise<void>;
}

export interface SsoSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: SecretText | undefined;
  readonly clientSecretFile: string | undefined;
  readonly allowedDomains: readonly string[];
  readonly roleClaim: string;
  /** `VALUE=operator` or `VALUE=ORGANIZATION_ID/ROLE`. */
  readonly roles: readonly string[];
}

export interface PeopleNeeds {
  readonly ground: Ground;
  /** Retention goes by this clock. The plain clock may have jumped ahead, and then everything would look old. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly ring: () => KeyRing;
  readonly baseUrl: string;
  readonly sessionLimits: SessionLimits;
  readonly sso: SsoSettings | undefined;
  readonly onError: (error: unknown) => void;
  readonly onSsoRefused: SsoNeeds['onRefused'];
  /** For tests that hash often. */
  readonly argon2?: Argon2Parameters;
}

/** How authenticator applications and browsers list us. */
const serviceName = 'Waxwing';

export const ssoCallbackPath = '/api/v1/sign-in/sso/callback';

export function createPeople(needs: PeopleNeeds): People {
  const { ground, ring, baseUrl, sessionLimits, onError } = needs;
  const { database, audit, clock, wait } = ground;
  const hasProvider = needs.sso !== undefined;
  const sessions = createSessions({ ...ground, limits: sessionLimits, issuer: needs.sso?.issuer });
  const hasher = createPasswordHasher(needs.argon2 === undefined ? {} : { parameters: needs.argon2 });
  const hashNewPassword = createHashNewPassword(hasher, baseUrl);
  const guesses = createSignInBudgets(database, clock);
  const anonymousWork = createAnonymousWork();
  const recoveryCodes = createRecoveryCodes(database, audit, clock);
  const totp = createTotp({ ...ground, ring, guesses, recoveryCodes, issuer: serviceName });
  const passkeys = createPasskeys({ ...ground, recoveryCodes, baseUrl, serviceName, hasProvider });
  const signIn = createSignIn({
    ...ground,
    hasher,
    guesses,
    anonymousWork,
    sessions,
    totp,
    recoveryCodes,
    passkeys,
    onError,
  });
  return {
    operators: createOperators({ ...ground, sessions, baseUrl, hasProvider }),
    sessions,
    signIn,
    sso: needs.sso === undefined ? undefined : openSso(needs, needs.sso, signIn, sessions),
    links: createLinks({ ...ground, sessions, signIn, hashNewPassword, hasProvider }),
    anonymousWork,
    ownAccounts: createOwnAccounts({
      ...ground,
      hasher,
      hashNewPassword,
      guesses,
      sessions,
      totp,
      passkeys,
      hasProvider,
    }),
    totp,
    passkeys,
    recoveryCodes,
    members: createMembers({ ...ground, baseUrl, hasProvider }),
    sealedStore: sealedTotpSecrets(database),
    workers: [createAccountHousekeeping(database, needs.retentionClock, wait)],
    close: () => signIn.drain(),
  };
}

function openSso(needs: PeopleNeeds, settings: SsoSettings, signIn: SignIn, sessions: Sessions): Sso {
  const { ground, baseUrl, onSsoRefused: onRefused } = needs;
  const provider = createSsoProvider({ ...settings, redirectUri: baseUrl + ssoCallbackPath }, () =>
    ground.clock.monotonic(),
  );
  return createSso({
    ...ground,
    provider,
    signIn,
    sessions,
    onRefused,
    allowedDomains: settings.allowedDomains,
    roleClaim: settings.roleClaim,
    rules: settings.roles.map((text) => parseSsoRule(text)).filter((rule) => rule !== undefined),
  });
}
