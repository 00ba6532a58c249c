import { hash } from 'node:crypto';
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Ground } from '../../audit/ground.ts';
import type { Note } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import type { AccountRow, ChallengeRow, SessionRow } from '../../database/schema/account-tables.ts';
import { countedAddress } from '../../http/request/ip-address.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import type { Asserted, Passkeys } from '../factors/manage-passkeys.ts';
import type { RecoveryCodes } from '../factors/manage-recovery-codes.ts';
import type { Totp } from '../factors/manage-totp.ts';
import type { PasswordCaller, PasswordHasher } from '../factors/password-hash.ts';
import type { Guess, SignInBudgets } from '../factors/sign-in-budgets.ts';
import type { Guesser } from '../factors/sign-in-limit.ts';
import type { SessionClient } from '../sessions/session-client.ts';
import { isFamiliarDevice, putFamiliarDevice } from '../sessions/session-store.ts';
import { ofAccount, type ProvenSignIn, type Sessions } from '../sessions/sessions.ts';
import { emailKey } from '../store/account.ts';
import { findAccountByEmail, lockAccount, replacePasswordHash } from '../store/account-store.ts';
import { findChallenge, insertChallenge, takeChallenge } from '../store/challenge-store.ts';
import { countRecoveryCodes, findTotp, listPasskeys } from '../store/factor-store.ts';
import { hashOfSecretValue, newSecretValue } from '../store/secret-value.ts';
import type { AnonymousWork } from './anonymous-work.ts';

export type SecondFactor = 'totp' | 'passkey' | 'recovery_code';

/** How far a sign-in has come. */
export type SignInStep =
  | {
      readonly state: 'signed-in';
      readonly accountId: string;
      /** The session's cookie, and the one that marks this browser; shown here and never again. */
      readonly cookie: SecretText;
      readonly device: SecretText;
      /** Epoch milliseconds. */
      readonly expiresAt: number;
    }
  | {
      readonly state: 'second-factor';
      /** What the next step must carry; good for ten minutes. */
      readonly step: SecretText;
      readonly factors: readonly SecondFactor[];
    };

export type SecondFactorProof = { readonly totp: string } | { readonly recoveryCode: string };

/**
 * Signing in: a first factor, then a second one where the person has one, then a session. While too many sign in, all of it
 * is refused before the database is asked for anything (`AnonymousWork`).
 */
export interface SignIn {
  /**
   * The same answer after the same time for somebody who is unknown, a wrong password and a disabled account.
   * @throws Problem `wrong_credentials`, `too_many_requests`, `service_unavailable`
   */
  withPassword(email: string, password: string, client: SessionClient): Promise<SignInStep>;
  /** @throws Problem `wrong_credentials`, `sign_in_expired`, `too_many_requests` */
  withSecondFactor(step: string, proof: SecondFactorProof, client: SessionClient): Promise<SignInStep>;
  /** @param step undefined: to sign in by the passkey alone. @throws Problem `sign_in_expired` */
  passkeyOptions(step: string | undefined, client: SessionClient): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** @throws Problem `wrong_credentials`, `sign_in_expired` */
  withPasskey(
    step: string | undefined,
    response: AuthenticationResponseJSON,
    client: SessionClient,
  ): Promise<SignInStep>;
  /** After a first factor that was checked elsewhere. @throws Problem `wrong_credentials` for a disabled account */
  afterFirstFactor(proven: Proven, client: SessionClient): Promise<SignInStep>;
  /** The session itself, in the caller's transaction. */
  begin(trx: Db, note: Note, proven: ProvenSignIn, client: SessionClient): Promise<SignedIn>;
  /** Puts a refused sign-in at an account into its audit trail; nobody waits for it. */
  recordRefusal(accountId: string, method: string, client: SessionClient): void;
  /** Resolves when the refusals up to now are recorded. */
  drain(): Promise<void>;
}

/** A first factor as it was checked. */
export interface Proven extends ProvenSignIn {
  /** The password's hash: when it is another one by the time the sign-in goes on, nothing was proven. */
  readonly password?: string | null;
}

export type SignedIn = Extract<SignInStep, { readonly state: 'signed-in' }>;

export interface SignInNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly hasher: PasswordHasher;
  readonly guesses: SignInBudgets;
  readonly anonymousWork: AnonymousWork;
  readonly sessions: Pick<Sessions, 'start' | 'endReplaced'>;
  readonly totp: Pick<Totp, 'accept'>;
  readonly recoveryCodes: Pick<RecoveryCodes, 'accept'>;
  readonly passkeys: Pick<Passkeys, 'assertionOptions' | 'verify'>;
  /** Called with the errors of work that no caller waits for. */
  readonly onError: (error: unknown) => void;
}

const stepMs = 10 * 60_000;
/** So long a browser is remembered after its last sign-in. */
export const familiarMs = 90 * 86_400_000;
/** No account has it: where there is none, the database is asked the same questions. */
const nobody = '';

export function createSignIn(needs: SignInNeeds): SignIn {
  const { database, feed, audit, clock, hasher, guesses, sessions, totp, recoveryCodes, passkeys, onError } = needs;
  const { forBrowser, forHolder, forStranger } = needs.anonymousWork;

  /** As many as the guess limits let through. */
  const recordings = new Set<Promise<unknown>>();

  /** @param counted what the budgets of the account are kept by */
  async function guesserOf(accountId: string, counted: string, client: SessionClient): Promise<Guesser> {
    const device = client.device === undefined ? undefined : hashOfSecretValue(client.device);
    const since = clock.now() - familiarMs;
    if (device !== undefined && (await isFamiliarDevice(database.db, accountId, device, since))) {
      return { kind: 'familiar', account: counted, device: device.slice(0, 32) };
    }
    return { kind: 'stranger', account: counted, address: countedAddress(client.address) };
  }

  /** Nobody waits for it: a record that takes time would tell that there is such an account. */
  function recordRefusal(accountId: string, method: string, client: SessionClient): void {
    const detail = { method, address: client.address?.text ?? '' };
    const recording = audit.append([ofAccount(accountId, 'sign-in.refuse', clock.now(), detail)]).catch(onError);
    recordings.add(recording);
    void recording.finally(() => recordings.delete(recording));
  }

  async function begin(trx: Db, note: Note, proven: ProvenSignIn, client: SessionClient): Promise<SignedIn> {
    const { accountId, method } = proven;
    const at = clock.now();
    if (client.session !== undefined) await sessions.endReplaced(trx, note, client.session);
    const { id, cookie, expiresAt } = await sessions.start(trx, note, proven, client);
    const device = newSecretValue();
    const former = client.device === undefined ? undefined : hashOfSecretValue(client.device);
    await putFamiliarDevice(trx, accountId, { hash: device.hash, former }, at);
    const detail = { session: id, method, address: client.address?.text ?? '' };
    await audit.record(trx, [ofAccount(accountId, 'session.create', at, detail)]);
    return { state: 'signed-in', accountId, cookie, device: device.clear, expiresAt };
  }

  function afterFirstFactor({ password, ...proven }: Proven, client: SessionClient): Promise<SignInStep> {
    const { accountId, method } = proven;
    return feed.write(async (trx, note): Promise<SignInStep> => {
      const account = await lockEnabled(trx, accountId);
      if (password !== undefined && account.password !== password) throw new Problem('wrong_credentials');
      const factors = await secondFactors(trx, accountId);
      if (factors.length === 0) return begin(trx, note, proven, client);
      const at = clock.now();
      const step = newSecretValue();
      await insertChallenge(trx, {
        hash: step.hash,
        kind: 'second-factor',
        account_id: accountId,
        facts: JSON.stringify({ method }),
        created_at: at,
        expires_at: at + stepMs,
      });
      return { state: 'second-factor', step: step.clear, factors };
    });
  }

  /**
   * The first statement of a transaction that signs a person in. Disabling the account or resetting its password then
   * happens wholly before it, or wholly after it and ends the session.
   */
  async function lockEnabled(trx: Db, accountId: string): Promise<AccountRow> {
    const account = await lockAccount(trx, database, accountId);
    if (account === undefined || account.disabled_at !== null) throw new Problem('wrong_credentials');
    return account;
  }

  async function findStep(step: string): Promise<PendingStep> {
    const hash = hashOfSecretValue(step);
    const row = hash === undefined ? undefined : await findChallenge(database.db, 'second-factor', hash, clock.now());
    return toPending(row);
  }

  /** The step is over in the transaction that begins the session: two answers to it make one session. */
  async function finishStep(trx: Db, note: Note, { hash, accountId, method }: PendingStep, client: SessionClient) {
    if ((await takeChallenge(trx, 'second-factor', hash, clock.now())) === undefined) throw expired();
    // By the second factor the person is there now, whenever the first one was given.
    return begin(trx, note, { accountId, method }, client);
  }

  async function checkPassword(
    account: AccountRow | undefined,
    password: string,
    guess: Guess,
    caller: PasswordCaller,
  ): Promise<boolean> {
    try {
      return await hasher.verify(password, account?.password ?? null, caller);
    } catch (error) {
      // Nobody looked at it.
      await guess.takeBack();
      throw error;
    }
  }

  /** @returns the hash that the account has now */
  async function rehash({ id, password: former }: AccountRow, password: string): Promise<string | null> {
    if (former === null || !hasher.isOutdated(former)) return former;
    const next = await hasher.hash(password);
    await replacePasswordHash(database.db, id, former, next);
    return next;
  }

  /** The step that a second factor is given to, and who gives it. */
  async function lookAtStep(step: string, client: SessionClient) {
    const pending = await findStep(step);
    return { pending, held: pending.hash, guesser: await guesserOf(pending.accountId, pending.accountId, client) };
  }

  async function checkSecondFactor(
    pending: PendingStep,
    guesser: Guesser,
    proof: SecondFactorProof,
    client: SessionClient,
  ): Promise<SignedIn> {
    const { accountId } = pending;
    const guess = await guesses.take('second-factor', guesser);
    try {
      const signedIn = await feed.write(async (trx, note) => {
        await lockEnabled(trx, accountId);
        const isRight =
          'totp' in proof
            ? await totp.accept(trx, accountId, proof.totp)
            : await recoveryCodes.accept(trx, accountId, proof.recoveryCode);
        if (!isRight) throw new Problem('wrong_credentials', { field: 'code', detail: 'The code is not right.' });
        return finishStep(trx, note, pending, client);
      });
      await guess.takeBack();
      return signedIn;
    } catch (error) {
      if (error instanceof Problem && error.code === 'wrong_credentials') {
        recordRefusal(accountId, 'totp' in proof ? 'totp' : 'recovery-code', client);
      }
      throw error;
    }
  }

  async function checkPasskey(
    pending: PendingStep | undefined,
    response: AuthenticationResponseJSON,
    client: SessionClient,
  ): Promise<SignedIn> {
    const purpose = pending === undefined ? 'passkey-sign-in' : 'passkey-second-factor';
    const asserted: Asserted = await passkeys.verify(purpose, pending?.accountId, response);
    return feed.write(async (trx, note) => {
      await lockEnabled(trx, asserted.accountId);
      await asserted.record(trx);
      if (pending !== undefined) return finishStep(trx, note, pending, client);
      return begin(trx, note, { accountId: asserted.accountId, method: 'passkey' }, client);
    });
  }

  return {
    withPassword(email, password, client) {
      const address = emailKey(email).toWellFormed().replaceAll('\0', '');
      const counted = hash('sha256', address, 'hex').slice(0, 32);
      const look = async () => {
        const account = await findAccountByEmail(database.db, address);
        return { account, guesser: await guesserOf(account?.id ?? nobody, counted, client) };
      };
      return forBrowser(client, look, async ({ account, guesser }) => {
        const guess = await guesses.take('password', guesser);
        const caller = guesser.kind === 'familiar' ? 'known' : 'stranger';
        const isRight = await checkPassword(account, password, guess, caller);
        if (account === undefined || !isRight || account.disabled_at !== null) {
          if (account !== undefined) recordRefusal(account.id, 'password', client);
          throw new Problem('wrong_credentials', { detail: 'The mail address or the password is not right.' });
        }
        await guess.takeBack();
        const hashed = await rehash(account, password);
        return afterFirstFactor({ accountId: account.id, method: 'password', password: hashed }, client);
      });
    },

    withSecondFactor: (step, proof, client) =>
      forHolder(
        client,
        () => lookAtStep(step, client),
        ({ pending, guesser }) => checkSecondFactor(pending, guesser, proof, client),
      ),

    async passkeyOptions(step, client) {
      if (step === undefined) {
        return forStranger(client, () => passkeys.assertionOptions('passkey-sign-in', undefined));
      }
      return forHolder(
        client,
        () => lookAtStep(step, client),
        ({ pending }) => passkeys.assertionOptions('passkey-second-factor', pending.accountId),
      );
    },

    async withPasskey(step, response, client) {
      if (step === undefined) return forStranger(client, () => checkPasskey(undefined, response, client));
      return forHolder(
        client,
        () => lookAtStep(step, client),
        ({ pending }) => checkPasskey(pending, response, client),
      );
    },

    afterFirstFactor,
    begin,
    recordRefusal,
    drain: async () => {
      await Promise.all(recordings);
    },
  };
}

interface PendingStep {
  readonly hash: string;
  readonly accountId: string;
  readonly method: SessionRow['method'];
}

function toPending(row: ChallengeRow | undefined): PendingStep {
  if (row === undefined || row.account_id === null) throw expired();
  const { method } = JSON.parse(row.facts) as { method: SessionRow['method'] };
  return { hash: row.hash, accountId: row.account_id, method };
}

/** What the person has to choose from; empty: the first factor is enough. */
export async function secondFactors(db: Db, accountId: string): Promise<readonly SecondFactor[]> {
  const factors: SecondFactor[] = [];
  const totp = await findTotp(db, accountId);
  if (totp !== undefined && totp.confirmed_at !== null) factors.push('totp');
  if ((await listPasskeys(db, accountId)).length > 0) factors.push('passkey');
  if (factors.length > 0 && (await countRecoveryCodes(db, accountId)) > 0) factors.push('recovery_code');
  return factors;
}

function expired(): Problem {
  return new Problem('sign_in_expired');
}
