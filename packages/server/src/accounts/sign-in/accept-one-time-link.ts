import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { describeLink } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import type { Actor } from '../../api/actor.ts';
import { freshMs, roles } from '../../api/roles.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Note } from '../../database/change-feed.ts';
import { type Db, isUniqueViolation } from '../../database/database.ts';
import type { AccountRow, OneTimeLinkRow } from '../../database/schema/account-tables.ts';
import { findAndLockOrganization, findOrganization } from '../../organizations/organization.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { HashNewPassword } from '../factors/new-password.ts';
import { hasSignInMethod } from '../factors/sign-in-methods.ts';
import type { SessionClient } from '../sessions/session-client.ts';
import { deleteFamiliarDevices } from '../sessions/session-store.ts';
import { ofAccount, type Sessions } from '../sessions/sessions.ts';
import { isMembership, newAccount } from '../store/account.ts';
import {
  findAccount,
  findAccountByEmail,
  findMembership,
  insertAccount,
  lockAccount,
  putMembership,
  updateAccount,
} from '../store/account-store.ts';
import { deleteChallengesOf } from '../store/challenge-store.ts';
import { deletePasskeys, deleteRecoveryCodes, deleteTotp } from '../store/factor-store.ts';
import { deleteLinksOf, findLink, takeLink } from '../store/link-store.ts';
import { noteAccount } from '../store/note-account.ts';
import { hashOfSecretValue } from '../store/secret-value.ts';
import { deleteSsoIdentities } from '../store/sso-store.ts';
import { mayStillMake } from './issuer-rights.ts';
import type { SignedIn, SignIn } from './sign-in.ts';
import { applySsoGrants, noSsoGrants } from './sso-grants.ts';

/** What a one-time link is for, to show before it is used. */
export type LinkDescription = AnswerOf<typeof describeLink>;

/** One-time links: what they say, and using them up. */
export interface Links {
  /** @throws Problem `link_expired` */
  describe(token: string): Promise<LinkDescription>;
  /**
   * Uses a link. A link that sets a password signs the person in with it. A link that gives more rights to an existing
   * account is accepted by its person, signed in: somebody else may have made the account in that person's name, so the
   * holders of link and account must be the same.
   * @param actor who is signed in, if anybody
   * @throws Problem `link_expired`, `password_rejected`, `conflict` when another person must sign in first,
   * `reauthentication_required` where the link makes an operator
   */
  accept(
    token: string,
    password: string | undefined,
    actor: Actor | undefined,
    client: SessionClient,
  ): Promise<SignedIn | undefined>;
}

export interface LinksNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly signIn: Pick<SignIn, 'begin'>;
  readonly hashNewPassword: HashNewPassword;
  /** Whether an identity provider is configured: without one nothing that it gave counts. */
  readonly hasProvider: boolean;
}

export function createLinks(needs: LinksNeeds): Links {
  const { database, feed, audit, clock, sessions, signIn, hashNewPassword, hasProvider } = needs;

  async function find(token: string): Promise<OneTimeLinkRow> {
    const hash = hashOfSecretValue(token);
    const link = (hash === undefined ? undefined : await findLink(database.db, hash, clock.now())) ?? expired();
    await requireMaker(database.db, link);
    return link;
  }

  /** Uses it up, where its maker has not lost the right since it was found. */
  async function take(trx: Db, hash: string): Promise<OneTimeLinkRow> {
    const taken = (await takeLink(trx, hash, clock.now())) ?? expired();
    await requireMaker(trx, taken);
    return taken;
  }

  async function requireMaker(db: Db, link: OneTimeLinkRow): Promise<void> {
    if (!(await mayStillMake(db, link, hasProvider, clock.now()))) expired();
  }

  /**
   * The account that must be signed in to use the link; undefined where the link sets a password. An invitation sets none for an
   * account that there is, even where nobody can sign in with it now: who invites may be of another organization.
   */
  async function signedInFor(link: OneTimeLinkRow): Promise<AccountRow | undefined> {
    if (link.kind === 'invitation') return findAccountByEmail(database.db, link.email);
    if (link.kind === 'reset' || link.account_id === null) return undefined;
    const account = await findAccount(database.db, link.account_id);
    return account !== undefined && (await hasSignInMethod(database.db, account, hasProvider)) ? account : undefined;
  }

  async function describe(token: string): Promise<LinkDescription> {
    const link = await find(token);
    const organization =
      link.organization_id === '' ? undefined : await findOrganization(database.db, link.organization_id);
    return {
      kind: link.kind,
      email: link.email,
      organization: organization === undefined ? null : { id: organization.id, name: organization.name },
      role: link.role,
      needs_password: (await signedInFor(link)) === undefined,
      expires_at: toRfc3339(link.expires_at),
    };
  }

  /**
   * Removes every other way to sign in, and the rights that an identity provider gave, because no provider would take
   * these back.
   * @returns what changed, for the audit trail
   */
  async function forgetAllProofs(trx: Db, note: Note, account: AccountRow, at: number): Promise<string[]> {
    const accountId = account.id;
    await deleteTotp(trx, accountId);
    await deletePasskeys(trx, accountId);
    await deleteRecoveryCodes(trx, accountId);
    await deleteSsoIdentities(trx, accountId);
    await deleteFamiliarDevices(trx, accountId);
    await deleteChallengesOf(trx, accountId);
    await sessions.endAll(trx, note, accountId);
    return applySsoGrants(trx, note, account, noSsoGrants, at);
  }

  async function setPassword(trx: Db, note: Note, link: OneTimeLinkRow, password: string): Promise<string> {
    const at = clock.now();
    // Locked first: who signs in by the former password at this moment is signed out again, or finds it changed.
    const account = link.account_id === null ? undefined : await lockAccount(trx, database, link.account_id);
    if (account === undefined || account.disabled_at !== null) expired();
    if (link.kind === 'activation' && (await hasSignInMethod(trx, account, hasProvider))) expired();
    const done =
      link.kind === 'reset'
        ? ofAccount(account.id, 'password.reset', at, { changes: await forgetAllProofs(trx, note, account, at) })
        : ofAccount(account.id, 'account.activate', at);
    const isOperator = link.kind === 'activation' && { operator: 1 as const };
    await updateAccount(trx, account.id, { password, ...isOperator }, at);
    await deleteLinksOf(trx, account.id);
    await noteAccount(trx, note, account.id);
    await audit.record(trx, [done]);
    return account.id;
  }

  async function join(trx: Db, note: Note, link: OneTimeLinkRow, accountId: string, isNew: boolean): Promise<void> {
    const at = clock.now();
    const { organization_id, role, email } = link;
    if (role === null || (await findAndLockOrganization(trx, database, organization_id)) === undefined) expired();
    const present = await findMembership(trx, organization_id, accountId);
    // An invitation never takes something away that counts.
    const isMore =
      present === undefined || !isMembership(present, hasProvider) || roles.indexOf(role) > roles.indexOf(present.role);
    if (isMore) await putMembership(trx, { organization_id, account_id: accountId, role, by_sso: 0, created_at: at });
    note('account', accountId, organization_id);
    await audit.record(trx, [
      {
        organizationId: organization_id,
        actor: `account:${accountId}`,
        action: 'invitation.accept',
        subject: accountId,
        at,
        detail: JSON.stringify({ email, role, invitation: link.id, new_account: isNew }),
      },
    ]);
  }

  async function becomeOperator(trx: Db, note: Note, accountId: string): Promise<void> {
    const at = clock.now();
    await updateAccount(trx, accountId, { operator: 1 }, at);
    await noteAccount(trx, note, accountId);
    await audit.record(trx, [ofAccount(accountId, 'operator.accept', at)]);
  }

  function acceptSignedIn(link: OneTimeLinkRow, account: AccountRow, actor: Actor | undefined): Promise<undefined> {
    if (actor?.kind !== 'account' || actor.accountId !== account.id) {
      throw new Problem('conflict', {
        reason: 'account_exists',
        parameters: { email: link.email },
        detail: `There is an account ${link.email}. Sign in with it, then open the link again.`,
      });
    }
    if (link.kind === 'activation' && clock.now() - actor.authenticatedAt > freshMs) {
      throw new Problem('reauthentication_required');
    }
    return feed.write(async (trx, note) => {
      const taken = await take(trx, link.hash);
      if (taken.kind === 'activation') await becomeOperator(trx, note, account.id);
      else await join(trx, note, taken, account.id, false);
      return undefined;
    });
  }

  function acceptWithPassword(link: OneTimeLinkRow, password: string, client: SessionClient): Promise<SignedIn> {
    return feed.write(async (trx, note) => {
      const taken = await take(trx, link.hash);
      let accountId: string;
      if (taken.kind === 'invitation') {
        const account = newAccount(taken.email, password, clock.now());
        await insertAccount(trx, account);
        await join(trx, note, taken, account.id, true);
        accountId = account.id;
      } else {
        accountId = await setPassword(trx, note, taken, password);
      }
      return signIn.begin(trx, note, { accountId, method: 'link' }, client);
    });
  }

  return {
    describe,
    async accept(token, password, actor, client) {
      const link = await find(token);
      const account = await signedInFor(link);
      if (account !== undefined) return acceptSignedIn(link, account, actor);
      if (password === undefined) {
        throw new Problem('password_rejected', {
          field: 'password',
          reason: 'missing',
          detail: 'This link sets a password: give one.',
        });
      }
      const hashed = await hashNewPassword(password, link.email);
      try {
        return await acceptWithPassword(link, hashed, client);
      } catch (error) {
        // Somebody made this account meanwhile.
        throw isUniqueViolation(error)
          ? new Problem('conflict', { reason: 'account_made_meanwhile', detail: 'Open the link again.' })
          : error;
      }
    },
  };
}

function expired(): never {
  throw new Problem('link_expired');
}
