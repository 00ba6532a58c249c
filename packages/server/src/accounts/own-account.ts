import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type * as operations from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { AccountActor } from '../api/actor.ts';
import { freshMs } from '../api/roles.ts';
import type { Ground } from '../audit/ground.ts';
import type { Note } from '../database/change-feed.ts';
import type { Db } from '../database/database.ts';
import type { AccountRow } from '../database/schema/account-tables.ts';
import { findOrganization } from '../organizations/organization.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { Passkeys } from './factors/manage-passkeys.ts';
import type { Totp } from './factors/manage-totp.ts';
import type { HashNewPassword } from './factors/new-password.ts';
import type { PasswordHasher } from './factors/password-hash.ts';
import type { SignInBudgets } from './factors/sign-in-budgets.ts';
import { requireSignInMethod } from './factors/sign-in-methods.ts';
import { deleteFamiliarDevices } from './sessions/session-store.ts';
import { ofAccount, type Sessions } from './sessions/sessions.ts';
import { applySsoGrants, noSsoGrants } from './sign-in/sso-grants.ts';
import { findAccount, lockAccount, updateAccount } from './store/account-store.ts';
import { deleteChallengesOf } from './store/challenge-store.ts';
import { countRecoveryCodes, findTotp } from './store/factor-store.ts';
import { deleteLinksOf } from './store/link-store.ts';
import { deleteSsoIdentities, listSsoIdentities } from './store/sso-store.ts';

/** The person who is signed in, as they see themselves. */
export type OwnAccount = Omit<AnswerOf<typeof operations.showMe>, 'modules'>;

export type OwnFactors = AnswerOf<typeof operations.showFactors>;

export type FreshProof =
  | { readonly password: string }
  | { readonly totp: string }
  | { readonly passkey: AuthenticationResponseJSON };

/** What people do about themselves. */
export interface OwnAccounts {
  show(actor: AccountActor): Promise<OwnAccount>;
  factors(actor: AccountActor): Promise<OwnFactors>;
  /**
   * Confirms the person's identity: by the password, by a passkey, or, where there is no password, by a code.
   * @returns the session's new cookie
   * @throws Problem `wrong_credentials`, `too_many_requests`, `conflict` for a code in place of a password
   */
  reauthenticate(actor: AccountActor, proof: FreshProof): Promise<SecretText>;
  passkeyOptions(actor: AccountActor): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Ends all other sessions, and browsers are familiar no more.
   * @param current undefined: there is none yet, and the session is fresh
   * @returns the session's new cookie
   */
  changePassword(actor: AccountActor, current: string | undefined, next: string): Promise<SecretText>;
  /**
   * Disconnects the account from the identity provider, and removes the rights that it gave.
   * @throws Problem `not_found`, `conflict` for the last sign-in method
   */
  disconnectSso(actor: AccountActor): Promise<void>;
}

export interface OwnAccountsNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly hasher: PasswordHasher;
  readonly hashNewPassword: HashNewPassword;
  readonly guesses: SignInBudgets;
  readonly sessions: Pick<Sessions, 'renew' | 'endAll' | 'endVouched'>;
  readonly totp: Pick<Totp, 'accept'>;
  readonly passkeys: Pick<Passkeys, 'assertionOptions' | 'verify' | 'list'>;
  /** Whether an identity provider is configured. */
  readonly hasProvider: boolean;
}

export function createOwnAccounts(needs: OwnAccountsNeeds): OwnAccounts {
  const { database, feed, audit, clock, hasher, hashNewPassword, guesses, sessions, totp, passkeys, hasProvider } =
    needs;

  const get = async (db: Db, actor: AccountActor): Promise<AccountRow> =>
    (await findAccount(db, actor.accountId)) ?? gone();

  /** The session belongs to one person, so only that person can use its budget up. */
  const guess = (actor: AccountActor, purpose: 'password' | 'second-factor') =>
    guesses.take(purpose, { kind: 'familiar', account: actor.accountId, device: actor.sessionId });

  async function requirePassword(actor: AccountActor, account: AccountRow, password: string): Promise<void> {
    const counted = await guess(actor, 'password');
    if (!(await hasher.verify(password, account.password))) throw wrong('password', 'The password is not right.');
    await counted.takeBack();
  }

  function renew(actor: AccountActor, method: string, prove: (trx: Db) => Promise<void>): Promise<SecretText> {
    return feed.write(async (trx, note) => {
      await prove(trx);
      const cookie = await sessions.renew(trx, note, actor);
      const detail = { session: actor.sessionId, method };
      await audit.record(trx, [ofAccount(actor.accountId, 'session.reauthenticate', clock.now(), detail)]);
      return cookie;
    });
  }

  async function reauthenticateByCode(actor: AccountActor, account: AccountRow, code: string): Promise<SecretText> {
    if (account.password !== null) {
      throw new Problem('conflict', {
        field: 'totp',
        reason: 'password_or_passkey_needed',
        detail: 'Give the password, or use a passkey.',
      });
    }
    const counted = await guess(actor, 'second-factor');
    const cookie = await renew(actor, 'totp', async (trx) => {
      if (!(await totp.accept(trx, account.id, code))) throw wrong('totp', 'The code is not right.');
    });
    await counted.takeBack();
    return cookie;
  }

  async function storePassword(trx: Db, note: Note, actor: AccountActor, former: AccountRow, hashed: string) {
    const at = clock.now();
    const account = await updateAccount(trx, actor.accountId, {}, at);
    // What was checked must still be the password: of two changes at once one wins.
    if (account?.password !== former.password)
      throw wrong('current_password', 'The password has been changed meanwhile.');
    await updateAccount(trx, actor.accountId, { password: hashed }, at);
    await sessions.endAll(trx, note, actor.accountId, actor.sessionId);
    await deleteFamiliarDevices(trx, actor.accountId);
    await deleteLinksOf(trx, actor.accountId);
    // A sign-in that has got past the former password must not be finished.
    await deleteChallengesOf(trx, actor.accountId);
    const cookie = await sessions.renew(trx, note, actor);
    await audit.record(trx, [ofAccount(actor.accountId, 'password.change', at)]);
    return cookie;
  }

  return {
    async show(actor) {
      const account = await get(database.db, actor);
      const organizations = [];
      for (const [organizationId, role] of actor.memberships) {
        const organization = await findOrganization(database.db, organizationId);
        if (organization !== undefined) organizations.push({ id: organization.id, name: organization.name, role });
      }
      return {
        id: account.id,
        email: account.email,
        operator: actor.operator,
        organizations: organizations.sort((one, other) => (one.id < other.id ? -1 : 1)),
        session_id: actor.sessionId,
        fresh_until: toRfc3339(actor.authenticatedAt + freshMs),
      };
    },

    async factors(actor) {
      const { id, password } = await get(database.db, actor);
      const row = await findTotp(database.db, id);
      const [identity] = await listSsoIdentities(database.db, id);
      return {
        password: password !== null,
        totp: row === undefined || row.confirmed_at === null ? null : { created_at: toRfc3339(row.confirmed_at) },
        passkeys: await passkeys.list(id),
        recovery_codes_left: await countRecoveryCodes(database.db, id),
        sso: identity === undefined ? null : { created_at: toRfc3339(identity.created_at) },
      };
    },

    async reauthenticate(actor, proof) {
      const account = await get(database.db, actor);
      if ('totp' in proof) return reauthenticateByCode(actor, account, proof.totp);
      if ('password' in proof) {
        await requirePassword(actor, account, proof.password);
        return renew(actor, 'password', async () => {});
      }
      const asserted = await passkeys.verify('passkey-fresh', account.id, proof.passkey);
      return renew(actor, 'passkey', (trx) => asserted.record(trx));
    },

    passkeyOptions: (actor) => passkeys.assertionOptions('passkey-fresh', actor.accountId),

    async changePassword(actor, current, next) {
      const account = await get(database.db, actor);
      if (account.password !== null) {
        if (current === undefined) throw wrong('current_password', 'Give the current password as well.');
        await requirePassword(actor, account, current);
      } else if (clock.now() - actor.authenticatedAt > freshMs) {
        throw new Problem('reauthentication_required');
      }
      const hashed = await hashNewPassword(next, account.email);
      return feed.write((trx, note) => storePassword(trx, note, actor, account, hashed));
    },

    async disconnectSso({ accountId }) {
      await feed.write(async (trx, note) => {
        const account = (await lockAccount(trx, database, accountId)) ?? gone();
        const issuers = await deleteSsoIdentities(trx, accountId);
        if (issuers.length === 0) throw new Problem('not_found');
        await requireSignInMethod(trx, accountId, hasProvider);
        const at = clock.now();
        const changes = await applySsoGrants(trx, note, account, noSsoGrants, at);
        const ended = await sessions.endVouched(trx, note, accountId);
        await audit.record(trx, [ofAccount(accountId, 'sso.disconnect', at, { issuers, changes, ended })]);
      });
    },
  };
}

function wrong(field: string, detail: string): Problem {
  return new Problem('wrong_credentials', { field, detail });
}

function gone(): never {
  throw new Problem('unauthenticated');
}
