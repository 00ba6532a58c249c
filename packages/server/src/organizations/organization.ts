import type { Organization } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import { isUniqueViolation } from '../database/sql/database-errors.ts';
import { newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import {
  findOrganization,
  findSuspended,
  insertOrganization,
  listOrganizations,
  type OrganizationFilter,
  searchOrganizations,
  setSuspended,
} from './organization-store.ts';

export { findOrganization, listOrganizations, lockOrganization } from './organization-store.ts';

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
  /** Suspends or resumes. A suspended organization's tokens are refused from the next request on; it keeps its data. */
  setSuspended(actor: string, id: string, suspended: boolean): Promise<Organization>;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

export function createOrganizations({ database, feed, audit, clock }: Needs): Organizations {
  const get = (id: string): Promise<Organization> => requireOrganization(database.db, id);

  return {
    async create(actor, name) {
      const trimmed = checkName('name', name);
      const at = clock.now();
      const row = { id: newId(at), name: trimmed, created_at: at, suspended_at: null };
      try {
        await feed.write(async (trx, note) => {
          await insertOrganization(trx, row);
          note('organization', row.id, row.id);
          await audit.record(trx, [
            {
              organizationId: row.id,
              actor,
              action: 'organization.create',
              subject: row.id,
              at,
              detail: JSON.stringify({ name: trimmed }),
            },
          ]);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Problem('conflict', {
          field: 'name',
          reason: 'name_taken',
          parameters: { name: trimmed },
          detail: `An organization named "${trimmed}" exists already. Choose another name.`,
        });
      }
      return toOrganization(row);
    },

    list: async (filter) => (await listOrganizations(database.db, filter)).map(toOrganization),

    async search(filter, search) {
      const { rows, reached } = await searchOrganizations(database.db, filter, search);
      return { rows: rows.map(toOrganization), ...(reached !== undefined && { reached: toOrganization(reached) }) };
    },

    get,
    exists: async (id) => (await findOrganization(database.db, id)) !== undefined,

    async setSuspended(actor, id, suspended) {
      await get(id);
      const at = clock.now();
      await feed.write(async (trx, note) => {
        await setSuspended(trx, id, suspended ? at : null);
        note('organization', id, id);
        const action = suspended ? 'organization.suspend' : 'organization.resume';
        await audit.record(trx, [{ organizationId: id, actor, action, subject: id, at, detail: '{}' }]);
      });
      return get(id);
    },
  };
}

/** @throws Problem `not_found`, naming `organization` */
export async function requireOrganization(db: Db, id: string): Promise<Organization> {
  const row = await findOrganization(db, id);
  if (row !== undefined) return toOrganization(row);
  throw new Problem('not_found', {
    field: 'organization',
    detail: `There is no organization ${id}. "organization list" shows those there are.`,
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
