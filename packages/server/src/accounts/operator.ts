import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Ground } from '../audit/ground.ts';
import type { Note } from '../database/change-feed.ts';
import { type Db, isUniqueViolation } from '../database/database.ts';
import type { AccountRow, OneTimeLinkRow } from '../database/schema/account-tables.ts';
import { Problem } from '../runtime/problem.ts';
import type { Sessions } from './sessions/sessions.ts';
import { newLink, type OneTimeLink } from './sign-in/one-time-link.ts';
import { checkEmail, isOperator, newAccount, type Operator, toOperator } from './store/account.ts';
import { findAccountByEmail, insertAccount, listOperators, updateAccount } from './store/account-store.ts';
import { deleteLinksOf, insertLink } from './store/link-store.ts';
import { noteAccount } from './store/note-account.ts';

/** The people who run the instance, as whoever runs its machine looks after them. */
export interface Operators {
  /**
   * The link sets the first password. Somebody who has an account becomes an operator by opening the link signed in, and
   * not before: an administrator of any organization may have made that account, by an invitation in this person's name.
   * @throws Problem `conflict` when this is an operator already
   */
  create(actor: string, email: string): Promise<{ operator: Operator; link: OneTimeLink }>;
  /**
   * For somebody who cannot sign in any more: the link sets a new password, removes the second factors and ends all
   * sessions. Until it is used everything stays as it is. For any account, not for operators alone.
   * @throws Problem `not_found`, naming `email`
   */
  reset(actor: string, email: string): Promise<{ operator: Operator; link: OneTimeLink }>;
  /** Also those by the identity provider where none is configured: they are operators again as soon as it is. */
  list(): Promise<Operator[]>;
  /** A disabled account is signed out at once and cannot sign in; nothing of it is lost. @throws Problem `not_found` */
  setDisabled(actor: string, email: string, disabled: boolean): Promise<Operator>;
  /** Whether anybody can run this instance yet. */
  exist(): Promise<boolean>;
}

interface Needs extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly baseUrl: string;
  /** Whether an identity provider is configured: without one nothing that it gave counts. */
  readonly hasProvider: boolean;
}

export function createOperators({ database, feed, audit, clock, sessions, baseUrl, hasProvider }: Needs): Operators {
  async function issueLink(trx: Db, actor: string, kind: OneTimeLinkRow['kind'], account: AccountRow, at: number) {
    const about = { email: account.email, account_id: account.id, organization_id: '', role: null, created_by: actor };
    const { row, link } = newLink({ kind, ...about }, baseUrl, at);
    // Of several links only the newest is good.
    await deleteLinksOf(trx, account.id);
    await insertLink(trx, row);
    return link;
  }

  const record = (trx: Db, actor: string, action: AuditAction, { id, email }: AccountRow, at: number) =>
    audit.record(trx, [{ organizationId: '', actor, action, subject: id, at, detail: JSON.stringify({ email }) }]);

  /** Reads, changes and records in one transaction. */
  const change = <T>(work: (trx: Db, note: Note, at: number) => Promise<T>): Promise<T> =>
    feed.write((trx, note) => work(trx, note, clock.now()));

  return {
    async create(actor, email) {
      const address = checkEmail(email);
      try {
        return await change(async (trx, note, at) => {
          const found = await findAccountByEmail(trx, address);
          if (found !== undefined && isOperator(found, hasProvider)) throw exists(address);
          const account = found ?? { ...newAccount(address, null, at), operator: 1 };
          if (found === undefined) await insertAccount(trx, account);
          note('account', account.id);
          const link = await issueLink(trx, actor, 'activation', account, at);
          await record(trx, actor, found === undefined ? 'operator.create' : 'operator.offer', account, at);
          return { operator: toOperator(account), link };
        });
      } catch (error) {
        throw isUniqueViolation(error) ? exists(address) : error;
      }
    },

    async reset(actor, email) {
      const address = checkEmail(email);
      return change(async (trx, _, at) => {
        const account = (await findAccountByEmail(trx, address)) ?? absent(address);
        if (account.disabled_at !== null) {
          throw new Problem('conflict', {
            field: 'email',
            reason: 'account_disabled',
            parameters: { email: address },
            detail: `The account ${address} is disabled. Enable it first.`,
          });
        }
        const link = await issueLink(trx, actor, 'reset', account, at);
        await record(trx, actor, 'operator.reset', account, at);
        return { operator: toOperator(account), link };
      });
    },

    list: async () => (await listOperators(database.db)).map(toOperator),

    async setDisabled(actor, email, disabled) {
      const address = checkEmail(email);
      return change(async (trx, note, at) => {
        const found = (await findAccountByEmail(trx, address)) ?? absent(address);
        const account =
          (await updateAccount(trx, found.id, { disabled_at: disabled ? at : null }, at)) ?? absent(address);
        await noteAccount(trx, note, account.id);
        if (disabled) {
          await sessions.endAll(trx, note, account.id);
          await deleteLinksOf(trx, account.id);
        }
        await record(trx, actor, disabled ? 'operator.disable' : 'operator.enable', account, at);
        return toOperator(account);
      });
    },

    exist: async () => (await listOperators(database.db)).some((row) => isOperator(row, hasProvider)),
  };
}

function exists(email: string): Problem {
  return new Problem('conflict', {
    field: 'email',
    reason: 'already_operator',
    parameters: { email },
    detail: `There is an operator ${email} already. "operator reset" makes a new link for somebody who cannot sign in.`,
  });
}

function absent(email: string): never {
  throw new Problem('not_found', {
    field: 'email',
    detail: `There is no account ${email}. "operator list" shows the operators there are.`,
  });
}
