import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { AccountRow, MembershipRow } from '../../database/schema/account-tables.ts';
import type { Part } from '../../database/sql/bounded-search.ts';

export async function insertAccount(db: Db, row: AccountRow): Promise<void> {
  await db.insertInto('account').values(row).execute();
}

export async function findAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whoever else signs this person in, disables them or changes their password waits until the transaction ends. */
export async function lockAccount(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<AccountRow | undefined> {
  return trx
    .selectFrom('account')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'account'))
    .executeTakeFirst();
}

/** @param email in lower case */
export async function findAccountByEmail(db: Db, email: string): Promise<AccountRow | undefined> {
  return db.selectFrom('account').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function findAccounts(db: Db, ids: readonly string[]): Promise<AccountRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('account').selectAll().where('id', 'in', ids).execute();
}

/** Of those of these accounts that are members of the organization. */
export async function findMemberEmails(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Pick<AccountRow, 'id' | 'email'>[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select(['account.id', 'account.email'])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.account_id', 'in', ids)
    .execute();
}

export interface AccountFilter {
  /** In lower case. */
  readonly email?: string | undefined;
  readonly operator?: boolean | undefined;
}

/** In the words of the partial index, so that it is used. */
const isOperatorRow = sql<boolean>`(operator = 1 or operator_by_sso = 1)`;

/** In the order the accounts were made. */
export async function listAccounts(
  db: Db,
  { email, operator }: AccountFilter,
  { take, after }: Part,
): Promise<AccountRow[]> {
  let query = db
    .selectFrom('account')
    .selectAll()
    .where('id', '>', after ?? '');
  if (email !== undefined) query = query.where('email', '=', email.toWellFormed().replaceAll('\0', ''));
  if (operator === true) query = query.where(isOperatorRow);
  if (operator === false) query = query.where('operator', '=', 0).where('operator_by_sso', '=', 0);
  return query.orderBy('id').limit(take).execute();
}

/** In the order their accounts were made. */
export async function listOperators(db: Db): Promise<AccountRow[]> {
  return db.selectFrom('account').selectAll().where(isOperatorRow).orderBy('id').execute();
}

export type AccountChange = Partial<Pick<AccountRow, 'operator' | 'operator_by_sso' | 'password' | 'disabled_at'>>;

/** Also locks the row until the transaction ends. @returns the row as it is now; undefined when there is none. */
export async function updateAccount(
  trx: Db,
  id: string,
  change: AccountChange,
  at: number,
): Promise<AccountRow | undefined> {
  return trx
    .updateTable('account')
    .set({ ...change, updated_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Replaces a password's hash, unless it was changed since `former` was read. */
export async function replacePasswordHash(db: Db, id: string, former: string, next: string): Promise<void> {
  await db.updateTable('account').set({ password: next }).where('id', '=', id).where('password', '=', former).execute();
}

export async function listMembershipsOf(db: Db, accountIds: readonly string[]): Promise<MembershipRow[]> {
  if (accountIds.length === 0) return [];
  return db.selectFrom('membership').selectAll().where('account_id', 'in', accountIds).execute();
}

export type MemberRow = MembershipRow & Pick<AccountRow, 'email' | 'disabled_at'>;

/** With the mail addresses, in the order the accounts were made. */
export async function listMembers(db: Db, organizationId: string, { take, after }: Part): Promise<MemberRow[]> {
  return db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .selectAll('membership')
    .select(['account.email', 'account.disabled_at'])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.account_id', '>', after ?? '')
    .orderBy('membership.account_id')
    .limit(take)
    .execute();
}

export async function findMembership(
  db: Db,
  organizationId: string,
  accountId: string,
): Promise<MembershipRow | undefined> {
  return db
    .selectFrom('membership')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

export async function putMembership(trx: Db, row: MembershipRow): Promise<void> {
  await trx
    .insertInto('membership')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'account_id']).doUpdateSet({ role: row.role, by_sso: row.by_sso }),
    )
    .execute();
}

export async function deleteMembership(trx: Db, organizationId: string, accountId: string): Promise<void> {
  await trx
    .deleteFrom('membership')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

export interface OwnerCounts {
  readonly givenHere: number;
  /** By the identity provider alone. */
  readonly bySso: number;
}

/**
 * Owners of the organization who are not disabled, beside one account. The organization's row is locked first, so that two
 * owners who leave at the same time do so one after the other.
 */
export async function lockAndCountOwners(
  trx: Db,
  organizationId: string,
  besideAccountId: string,
): Promise<OwnerCounts> {
  await trx
    .updateTable('organization')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', '=', organizationId)
    .execute();
  const row = await trx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select((select) => [
      select.fn.countAll<number>().as('all'),
      select.fn.sum<number | null>('membership.by_sso').as('by_sso'),
    ])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.role', '=', 'owner')
    .where('membership.account_id', '!=', besideAccountId)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirstOrThrow();
  const bySso = Number(row.by_sso ?? 0);
  return { givenHere: Number(row.all) - bySso, bySso };
}
