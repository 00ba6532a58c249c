import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import type { AccountActor, Actor } from '../../api/actor.ts';
import { freshMs } from '../../api/roles.ts';
import type { Ground } from '../../audit/ground.ts';
import { type Db, isUniqueViolation } from '../../database/database.ts';
import type { AccountRow, ChallengeRow } from '../../database/schema/account-tables.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import type { SessionClient } from '../sessions/session-client.ts';
import { ofAccount, type Sessions } from '../sessions/sessions.ts';
import { checkEmail, emailKey, newAccount } from '../store/account.ts';
import { findAccount, findAccountByEmail, insertAccount } from '../store/account-store.ts';
import { insertChallenge, takeChallenge } from '../store/challenge-store.ts';
import { hashOfSecretValue, newSecretValue } from '../store/secret-value.ts';
import { findSsoIdentity, insertSsoIdentity } from '../store/sso-store.ts';
import type { SignIn, SignInStep } from './sign-in.ts';
import { applySsoGrants } from './sso-grants.ts';
import type { SsoClaims, SsoProvider } from './sso-provider.ts';
import { authenticatedAt, grantsOf, isAllowedDomain, type SsoGrants, type SsoRule } from './sso-rules.ts';

/**
 * Sign-in by an identity provider. A person is known by issuer and subject, never by the email address: an existing
 * account is connected by its own person, signed in. Otherwise a stranger who had made an account in a person's name
 * would share it after that person's first sign-in by the provider.
 */
export interface Sso {
  /**
   * @returns where to send the browser, and the cookie that only this browser may come back with
   * @throws Problem `service_unavailable`
   */
  begin(purpose: SsoPurpose): Promise<{ url: URL; cookie: SecretText }>;
  /**
   * @param search the query of the callback, as received
   * @returns undefined when an account was connected
   * @throws Problem `sign_in_expired`, `sso_refused`, `service_unavailable`
   */
  finish(
    search: string,
    cookie: string | undefined,
    actor: Actor | undefined,
    client: SessionClient,
  ): Promise<SsoStep | undefined>;
}

/**
 * The prompt for the provider. An ordinary sign-in lets it answer at once for a person it knows, and is as fresh as the
 * provider's own sign-in. To confirm an identity the provider asks the person.
 */
export type SsoPurpose =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'connect'; readonly actor: AccountActor }
  | { readonly kind: 'prove'; readonly actor: AccountActor };

export type SsoStep =
  | SignInStep
  /** The session goes on, with this cookie. */
  | { readonly state: 'proven'; readonly cookie: SecretText };

export interface SsoNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly provider: SsoProvider;
  readonly signIn: Pick<SignIn, 'afterFirstFactor' | 'recordRefusal'>;
  readonly sessions: Pick<Sessions, 'renew' | 'endVouched'>;
  readonly allowedDomains: readonly string[];
  readonly roleClaim: string;
  readonly rules: readonly SsoRule[];
  /** Hears of everybody who is refused, also of those who have no account: for the log. */
  readonly onRefused: (refusal: SsoRefusal) => void;
}

export interface SsoRefusal {
  readonly code: string;
  /** Why, as the person is told. */
  readonly reason: string;
  readonly address: string;
  /** What the provider's answer fails, such as a check of the ID token. */
  readonly cause?: string;
}

const stepMs = 10 * 60_000;

/** A person as the provider vouches for them. */
interface Vouched {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly grants: SsoGrants;
  /** When the person proved there who they are, epoch milliseconds; 0: nobody knows. */
  readonly authenticatedAt: number;
}

export function createSso(needs: SsoNeeds): Sso {
  const { database, feed, audit, clock, provider, signIn, sessions, allowedDomains, roleClaim, rules, onRefused } =
    needs;

  function vouchedBy(claims: SsoClaims): Vouched {
    const { email, email_verified: verified } = claims;
    if (typeof email !== 'string' || verified !== true) {
      throw refused('email_not_verified', 'The identity provider has not verified your mail address.');
    }
    const address = checkEmail(email);
    if (!isAllowedDomain(address, allowedDomains)) {
      throw refused(
        'domain_not_allowed',
        'People with a mail address of this domain do not sign in by the identity provider.',
      );
    }
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: address,
      grants: grantsOf(claims[roleClaim], rules),
      authenticatedAt: authenticatedAt(claims.auth_time, clock.now()),
    };
  }

  /** The account of somebody who signs in: known by issuer and subject, or made because a role awaits them. */
  async function accountOf(trx: Db, vouched: Vouched): Promise<AccountRow> {
    const identity = await findSsoIdentity(trx, vouched.issuer, vouched.subject);
    const known = identity === undefined ? undefined : await findAccount(trx, identity.account_id);
    if (known !== undefined) return known;
    if ((await findAccountByEmail(trx, vouched.email)) !== undefined) {
      throw refused(
        'account_not_connected',
        `There is an account ${vouched.email}. Sign in with it and connect it to the identity provider.`,
      );
    }
    if (!vouched.grants.operator && vouched.grants.roles.size === 0) {
      throw refused('no_role', 'The identity provider gives you no role here.');
    }
    const account = newAccount(vouched.email, null, clock.now());
    await insertAccount(trx, account);
    await connect(trx, account.id, vouched);
    return account;
  }

  async function connect(trx: Db, accountId: string, { issuer, subject }: Vouched): Promise<void> {
    await insertSsoIdentity(trx, { issuer, subject, account_id: accountId, created_at: clock.now() });
  }

  async function connectOwn(trx: Db, accountId: string, vouched: Vouched): Promise<AccountRow> {
    const identity = await findSsoIdentity(trx, vouched.issuer, vouched.subject);
    if (identity !== undefined && identity.account_id !== accountId) {
      throw isAnother();
    }
    if (identity === undefined) await connect(trx, accountId, vouched);
    return (await findAccount(trx, accountId)) ?? gone();
  }

  /** In the log; and in the audit trail of the account that the person has, or would have come into. */
  async function noteRefusal(problem: Problem, claims: SsoClaims | undefined, client: SessionClient): Promise<void> {
    const { code, message: reason, cause } = problem;
    const address = client.address?.text ?? '';
    onRefused({ code, reason, address, ...(cause instanceof Error && { cause: cause.message }) });
    if (claims === undefined) return;
    const { db } = database;
    const { email, email_verified: verified } = claims;
    const identity = await findSsoIdentity(db, claims.iss, claims.sub);
    const named = typeof email === 'string' && verified === true ? storable(emailKey(email)) : undefined;
    const account = identity === undefined && named !== undefined ? await findAccountByEmail(db, named) : undefined;
    const known = identity?.account_id ?? account?.id;
    if (known !== undefined) signIn.recordRefusal(known, 'sso', client);
  }

  /** When the provider no longer vouches for a person, the sessions that it began end. */
  async function endWithdrawn({ reason }: Problem, { iss, sub }: SsoClaims): Promise<void> {
    if (reason !== 'email_not_verified' && reason !== 'domain_not_allowed') return;
    const identity = await findSsoIdentity(database.db, iss, sub);
    if (identity === undefined) return;
    await feed.write(async (trx, note) => {
      const ended = await sessions.endVouched(trx, note, identity.account_id);
      if (ended === 0) return;
      await audit.record(trx, [ofAccount(identity.account_id, 'session.end-vouched', clock.now(), { ended, reason })]);
    });
  }

  function settle(vouched: Vouched, connecting: string | undefined): Promise<string> {
    return feed.write(async (trx, note) => {
      const account =
        connecting === undefined ? await accountOf(trx, vouched) : await connectOwn(trx, connecting, vouched);
      const changes = await applySsoGrants(trx, note, account, vouched.grants, clock.now());
      const action = connecting === undefined ? 'sso.vouch' : 'sso.connect';
      const detail = { issuer: vouched.issuer, changes };
      await audit.record(trx, [ofAccount(account.id, action, clock.now(), detail)]);
      return account.id;
    });
  }

  /** What the provider gives and takes counts as it does at a sign-in. */
  function prove(actor: AccountActor, vouched: Vouched): Promise<SecretText> {
    if (clock.now() - vouched.authenticatedAt > freshMs) {
      throw refused(
        'not_proven_anew',
        'The identity provider does not say that you have signed in there just now (auth_time in the ID token).',
      );
    }
    return feed.write(async (trx, note) => {
      const identity = await findSsoIdentity(trx, vouched.issuer, vouched.subject);
      if (identity?.account_id !== actor.accountId) throw isAnother();
      const account = (await findAccount(trx, actor.accountId)) ?? gone();
      const changes = await applySsoGrants(trx, note, account, vouched.grants, clock.now());
      const cookie = await sessions.renew(trx, note, actor, vouched.authenticatedAt);
      const detail = { session: actor.sessionId, method: 'sso', issuer: vouched.issuer, changes };
      await audit.record(trx, [ofAccount(actor.accountId, 'session.reauthenticate', clock.now(), detail)]);
      return cookie;
    });
  }

  async function goOn(purpose: SsoPurpose, vouched: Vouched, client: SessionClient): Promise<SsoStep | undefined> {
    if (purpose.kind === 'prove') return { state: 'proven', cookie: await prove(purpose.actor, vouched) };
    const accountId = await settle(vouched, purpose.kind === 'connect' ? purpose.actor.accountId : undefined);
    if (purpose.kind === 'connect') return undefined;
    const proven = { accountId, method: 'sso', authenticatedAt: vouched.authenticatedAt } as const;
    return signIn.afterFirstFactor(proven, client);
  }

  return {
    async begin(purpose) {
      const at = clock.now();
      const cookie = newSecretValue();
      const isProof = purpose.kind === 'prove';
      const url = await provider.authorizationUrl(cookie.clear.reveal(), isProof ? freshMs / 1000 : undefined);
      await insertChallenge(database.db, {
        hash: cookie.hash,
        kind: 'sso',
        account_id: purpose.kind === 'sign-in' ? null : purpose.actor.accountId,
        facts: JSON.stringify(isProof ? { session: purpose.actor.sessionId } : {}),
        created_at: at,
        expires_at: at + stepMs,
      });
      return { url, cookie: cookie.clear };
    },

    async finish(search, cookie, actor, client) {
      const hash = cookie === undefined ? undefined : hashOfSecretValue(cookie);
      const asked = hash === undefined ? undefined : await takeChallenge(database.db, 'sso', hash, clock.now());
      if (asked === undefined || cookie === undefined) throw new Problem('sign_in_expired');
      const purpose = purposeOf(asked, actor);
      let claims: SsoClaims | undefined;
      try {
        claims = await provider.redeem(search, cookie);
        return await goOn(purpose, vouchedBy(claims), client);
      } catch (error) {
        // The same person came twice at once: the other one made the account.
        if (isUniqueViolation(error)) throw new Problem('sign_in_expired');
        if (isRefusal(error)) {
          const signedIn = purpose.kind === 'sign-in' ? claims : undefined;
          await noteRefusal(error, signedIn, client);
          if (signedIn !== undefined) await endWithdrawn(error, signedIn);
        }
        throw error;
      }
    },
  };
}

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && (error.code === 'sso_refused' || error.code === 'wrong_credentials');

function refused(reason: ReasonOf<'sso_refused'>, detail: string): Problem {
  return new Problem('sso_refused', { reason, detail });
}

function isAnother(): Problem {
  return refused('another_account', 'The identity provider knows you as another account here.');
}

/**
 * What the browser was sent to the provider for.
 * @param actor who is signed in where it comes back
 * @throws Problem `sign_in_expired` when that is not who began it, or another session of theirs
 */
function purposeOf({ account_id: accountId, facts }: ChallengeRow, actor: Actor | undefined): SsoPurpose {
  if (accountId === null) return { kind: 'sign-in' };
  if (actor?.kind !== 'account' || actor.accountId !== accountId) return gone();
  const { session } = JSON.parse(facts) as { session?: string };
  if (session === undefined) return { kind: 'connect', actor };
  return session === actor.sessionId ? { kind: 'prove', actor } : gone();
}

function gone(): never {
  throw new Problem('sign_in_expired');
}
