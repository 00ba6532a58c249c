import type { Organization } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import type { Ground } from '../audit/ground.ts';
import type { Note } from '../database/change-feed.ts';
import type { Database, Db } from '../database/database.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import { isUniqueViolation } from '../database/sql/database-errors.ts';
import { newId, toRfc3339 } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import { contentsOf, removeContents } from './organization-contents.ts';
import {
  findAndLockOrganization,
  findOrganization,
  findSuspended,
  insertOrganization,
  listOrganizations,
  type OrganizationFilter,
  searchOrganizations,
  setName,
  setSuspended,
} from './organization-store.ts';

export { findAndLockOrganization, findOrganization, listOrganizations } from './organization-store.ts';

export type { Organization };

export interface Organizations {
  create(actor: string, name: string): Promise<Organization>;
  /** In the order of creation. */
  list(filter?: OrganizationFilter): Promise<Organization[]>;
  /** Only those with `search` in their name, in any letter case. Bounded unless the filter has no limit. */
  search(filter: OrganizationFilter, search: string): Promise<Found<Organization>>;
  /** @throws Problem `not_found`, naming `organization` */
  get(id: string): Promise<Organization>;
  exists(id: string): Promise<boolean>;
  /** @throws Problem `conflict` where another one has the name */
  rename(actor: string, id: string, name: string): Promise<Organization>;
  /** Deletes an empty one. @throws Problem `conflict` naming what is left in it */
  delete(actor: string, id: string): Promise<void>;
  /** Suspends or resumes. A suspended organization's tokens are refused from the next request on; it keeps its data. */
  setSuspended(actor: string, id: string, suspended: boolean): Promise<Organization>;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

export function createOrganizations({ database, feed, audit, clock }: Needs): Organizations {
  const get = (id: string): Promise<Organization> => requireOrganization(database.db, id);

  /** @param name what `write` sets, which only one organization may have */
  async function change(
    actor: string,
    verb: 'create' | 'update' | 'delete' | 'suspend' | 'resume',
    id: string,
    detail: object,
    write: (trx: Db, note: Note) => Promise<void>,
    name?: string,
  ): Promise<void> {
    const entry = { organizationId: id, actor, action: `organization.${verb}` as const, subject: id, at: clock.now() };
    try {
      await feed.write(async (trx, note) => {
        await write(trx, note);
        note('organization', id, id);
        await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
      });
    } catch (error) {
      throw name !== undefined && isUniqueViolation(error) ? nameTaken(name) : error;
    }
  }

  return {
    async create(actor, name) {
      const trimmed = checkName('name', name);
      const at = clock.now();
      const row = { id: newId(at), name: trimmed, created_at: at, suspended_at: null };
      await change(actor, 'create', row.id, { name: trimmed }, (trx) => insertOrganization(trx, row), trimmed);
      return toOrganization(row);
    },

    list: async (filter) => (await listOrganizations(database.db, filter)).map(toOrganization),

    async search(filter, search) {
      const { rows, reached } = await searchOrganizations(database.db, filter, search);
      return { rows: rows.map(toOrganization), ...(reached !== undefined && { reached: toOrganization(reached) }) };
    },

    get,
    exists: async (id) => (await findOrganization(database.db, id)) !== undefined,

    async rename(actor, id, name) {
      const trimmed = checkName('name', name);
      const rename = async (trx: Db) => {
        await lockOrganization(trx, database, id);
        await setName(trx, id, trimmed);
      };
      await change(actor, 'update', id, { name: trimmed }, rename, trimmed);
      return get(id);
    },

    async delete(actor, id) {
      const { name } = await get(id);
      await change(actor, 'delete', id, { name }, async (trx, note) => {
        await lockOrganization(trx, database, id);
        const left = await contentsOf(trx, id);
        if (left.length > 0) throw notEmpty(name, left);
        for (const account of await removeContents(trx, id)) note('account', account, id);
      });
    },

    async setSuspended(actor, id, suspended) {
      await get(id);
      const at = suspended ? clock.now() : null;
      await change(actor, suspended ? 'suspend' : 'resume', id, {}, (trx) => setSuspended(trx, id, at));
      return get(id);
    },
  };
}

/** @throws Problem `not_found`, naming `organization` */
export async function requireOrganization(db: Db, id: string): Promise<Organization> {
  const row = await findOrganization(db, id);
  return toOrganization(row ?? absent('organization', id));
}

/**
 * Locks the organization until the transaction ends: nobody deletes it while something is made in it.
 * @throws Problem `not_found`, naming `organization`
 */
export async function lockOrganization(trx: Db, database: Pick<Database, 'dialect'>, id: string): Promise<void> {
  if ((await findAndLockOrganization(trx, database, id)) === undefined) absent('organization', id);
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', {
    field: 'name',
    reason: 'name_taken',
    parameters: { name },
    detail: `An organization named "${name}" exists already. Choose another name.`,
  });
}

function notEmpty(name: string, left: readonly string[]): Problem {
  return new Problem('conflict', {
    field: 'organization',
    reason: 'organization_not_empty',
    parameters: { left: left.join(', ') },
    detail: `${name} is not empty: it has ${left.join(', ')}. Delete these first; records of messages and pushes go with time.`,
  });
}

function toOrganization(row: {
  id: string;
  name: string;
  created_at: number;
  suspended_at: number | null;
}): Organization {
  return {
    id: row.id,
    name: row.name,
    created_at: toRfc3339(row.created_at),
    suspended: row.suspended_at !== null,
  };
}

const nameLimit = 200;

/** Checks a name from people. @returns it without surrounding white space. @throws Problem `invalid_parameter` */
export function checkName(field: string, name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > nameLimit || !isVisibleText(trimmed)) {
    throw new Problem('invalid_parameter', {
      field,
      detail: `${field} must have 1 to ${nameLimit} characters, without control or invisible characters.`,
    });
  }
  return trimmed;
}

/** Plain, and without invisible characters, so that equal looks mean equal texts. */
export function isVisibleText(text: string): boolean {
  return isPlainText(text) && !/[\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

/** Without control characters and lone surrogates, which databases replace. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** The suspended ones among them, whose tokens are refused. */
export async function suspendedOrganizations(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : await findSuspended(db, ids));
}
