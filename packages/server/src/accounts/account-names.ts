import type { Db } from '../database/database.ts';
import { findManagementKeys } from '../organizations/management-key-lookup.ts';
import { listOrganizations } from '../organizations/organization.ts';
import { emailKey } from './store/account.ts';
import { findAccountByEmail, findAccounts, findMemberEmails, findMembership } from './store/account-store.ts';

/**
 * The email addresses of accounts, by their ids. Members of an organization see those of its members, but not those of
 * operators.
 * @param organizationId undefined where an operator asks
 */
export async function emailsOfAccounts(
  db: Db,
  ids: readonly string[],
  organizationId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const rows =
    organizationId === undefined ? await findAccounts(db, ids) : await findMemberEmails(db, organizationId, ids);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

export async function namesOfManagementKeys(
  db: Db,
  ids: readonly string[],
  organizationId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const rows = await findManagementKeys(db, ids);
  const own = rows.filter((row) => organizationId === undefined || row.organization_id === organizationId);
  return new Map(own.map(({ id, name }) => [id, name]));
}

export async function namesOfOrganizations(
  db: Db,
  ids: readonly string[],
  organizationId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const own = ids.filter((id) => organizationId === undefined || id === organizationId);
  return new Map((await listOrganizations(db, { ids: own })).map(({ id, name }) => [id, name]));
}

/** The account of an email address, only among the organization's members where one is given. */
export async function accountOfEmail(
  db: Db,
  email: string,
  organizationId: string | undefined,
): Promise<string | undefined> {
  const account = await findAccountByEmail(db, emailKey(email));
  if (account === undefined || organizationId === undefined) return account?.id;
  return (await findMembership(db, organizationId, account.id)) === undefined ? undefined : account.id;
}
