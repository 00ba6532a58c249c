import type { AccountRow, MembershipRow } from '../../database/schema/account-tables.ts';
import { isVisibleText } from '../../organizations/organization.ts';
import { newId, toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';

/** A person who runs the instance. */
export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly created_at: string;
  /** Whether there is anything to sign in with yet. */
  readonly active: boolean;
  readonly disabled: boolean;
}

export function toOperator(row: AccountRow): Operator {
  return {
    id: row.id,
    email: row.email,
    created_at: toRfc3339(row.created_at),
    active: row.password !== null || row.operator_by_sso === 1,
    disabled: row.disabled_at !== null,
  };
}

/** The row of a new account, which is no operator. @param password its hash; null: none yet */
export function newAccount(email: string, password: string | null, at: number): AccountRow {
  return {
    id: newId(at),
    email,
    operator: 0,
    operator_by_sso: 0,
    password,
    disabled_at: null,
    created_at: at,
    updated_at: at,
  };
}

/**
 * Rights that the identity provider gave count in a session that it vouched for. Without a session they count on a
 * server that has a provider.
 */
export function isOperator(row: Pick<AccountRow, 'operator' | 'operator_by_sso'>, isVouched: boolean): boolean {
  return row.operator === 1 || (isVouched && row.operator_by_sso === 1);
}

/** As `isOperator`, of somebody's place in an organization. */
export function isMembership(row: Pick<MembershipRow, 'by_sso'>, isVouched: boolean): boolean {
  return row.by_sso === 0 || isVouched;
}

/**
 * The form in which mail addresses are compared: without white space around them, in lower case, and each character in its
 * usual form, so that a full-width letter makes no other person.
 */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}

/**
 * Whether an address exists only a mail to it can tell.
 * @returns the address as it is kept
 * @throws Problem `invalid_parameter`, naming `email`
 */
export function checkEmail(email: string): string {
  const address = emailKey(email);
  if (address.length <= 254 && isVisibleText(address) && /^[^\s@]+@[^\s@]*[^\s@.]$/u.test(address)) return address;
  throw new Problem('invalid_parameter', {
    field: 'email',
    detail: 'email must be a mail address such as ops@example.com.',
  });
}
