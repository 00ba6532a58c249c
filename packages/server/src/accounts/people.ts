import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/connect.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createLinks, type Links } from './accept-link.ts';
import { createAccountHousekeeping } from './account-housekeeping.ts';
import type { Credentials } from './actor.ts';
import { type AnonymousWork, createAnonymousWork } from './anonymous-work.ts';
import { createGuesses } from './guesses.ts';
import { createManagementKeys, type ManagementKeys } from './manage-management-keys.ts';
import { createPasskeys, type Passkeys } from './manage-passkeys.ts';
import { createRecoveryCodes, type RecoveryCodes } from './manage-recovery-codes.ts';
import { createTotp, type Totp } from './manage-totp.ts';
import { createFindManagementKey } from './management-key-facts.ts';
import { createMembers, type Members } from './members.ts';
import { createHashNewPassword } from './new-password.ts';
import { createOperators, type Operators } from './operator.ts';
import { createOwnAccounts, type OwnAccounts } from './own-account.ts';
import { type Argon2Parameters, createPasswordHasher } from './password-hash.ts';
import { sealedTotpSecrets } from './sealed-totp-secrets.ts';
import type { SessionLimits } from './session-rules.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createSso, type Sso, type SsoNeeds } from './sso.ts';
import { createSsoProvider } from './sso-provider.ts';
import { parseSsoRule } from './sso-rules.ts';

/** People and programs, and how they prove who they are. */
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
  readonly managementKeys: ManagementKeys;
  /** For the guard. */
  readonly credentials: Credentials;
  readonly sealedStore: ReturnType<typeof sealedTotpSecrets>;
  /** What only a server runs. */
  readonly workers: readonly Worker[];
  /** What nobody waits for is written. */
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
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** What is old enough to be removed goes by this one. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly ring: () => KeyRing;
  readonly baseUrl: string;
  readonly sessionLimits: SessionLimits;
  readonly sso: SsoSettings | undefined;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly onSsoRefused: SsoNeeds['onRefused'];
  /** For tests that hash often. */
  readonly argon2?: Argon2Parameters;
}

/** How authenticator applications and browsers list us. */
const serviceName = 'Waxwing';

export const ssoCallbackPath = '/api/v1/sign-in/sso/callback';

export function createPeople(needs: PeopleNeeds): People {
  const { database, feed, audit, clock, ring, baseUrl, sessionLimits, onError } = needs;
  const hasProvider = needs.sso !== undefined;
  const sessions = createSessions({ database, feed, audit, clock, limits: sessionLimits, issuer: needs.sso?.issuer });
  const hasher = createPasswordHasher(needs.argon2 === undefined ? {} : { parameters: needs.argon2 });
  const hashNewPassword = createHashNewPassword(hasher, baseUrl);
  const guesses = createGuesses(database, clock);
  const anonymousWork = createAnonymousWork();
  const recoveryCodes = createRecoveryCodes(database, audit, clock);
  const totp = createTotp({ database, audit, clock, ring, guesses, recoveryCodes, issuer: serviceName });
  const passkeys = createPasskeys({ database, audit, clock, recoveryCodes, baseUrl, serviceName, hasProvider });
  const signIn = createSignIn({
    database,
    feed,
    audit,
    clock,
    hasher,
    guesses,
    anonymousWork,
    sessions,
    totp,
    recoveryCodes,
    passkeys,
    onError,
  });
  const findManagementKey = createFindManagementKey({ db: database.db, feed, clock });
  return {
    operators: createOperators({ database, feed, audit, clock, sessions, baseUrl, hasProvider }),
    sessions,
    signIn,
    sso: needs.sso === undefined ? undefined : openSso(needs, needs.sso, signIn, sessions),
    links: createLinks({ database, feed, audit, clock, sessions, signIn, hashNewPassword, hasProvider }),
    anonymousWork,
    ownAccounts: createOwnAccounts({
      database,
      feed,
      audit,
      clock,
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
    members: createMembers({ database, feed, audit, clock, baseUrl, hasProvider }),
    managementKeys: createManagementKeys({ database, feed, audit, clock }),
    credentials: { findSession: (cookie, isUse) => sessions.find(cookie, isUse), findManagementKey },
    sealedStore: sealedTotpSecrets(database),
    workers: [createAccountHousekeeping(database, needs.retentionClock, needs.wait)],
    close: () => signIn.drain(),
  };
}

function openSso(needs: PeopleNeeds, settings: SsoSettings, signIn: SignIn, sessions: Sessions): Sso {
  const { database, feed, audit, clock, baseUrl, onSsoRefused: onRefused } = needs;
  const provider = createSsoProvider({ ...settings, redirectUri: baseUrl + ssoCallbackPath }, () => clock.monotonic());
  return createSso({
    database,
    feed,
    audit,
    clock,
    provider,
    signIn,
    sessions,
    onRefused,
    allowedDomains: settings.allowedDomains,
    roleClaim: settings.roleClaim,
    rules: settings.roles.map((text) => parseSsoRule(text)).filter((rule) => rule !== undefined),
  });
}
