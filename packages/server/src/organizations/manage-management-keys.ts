import { keyIdIn } from '../api/actor.ts';
import { type Manager, requireRank } from '../api/manager.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';
import { Problem } from '../runtime/problem.ts';
import { requireNoLonger, requireNoWider } from './maker-bounds.ts';
import { type ManagementKey, toManagementKey } from './management-key.ts';
import { listManagementKeys } from './management-key-store.ts';
import { lockOrganization } from './organization.ts';
import { createTokenHolders, type HolderUpdate, holderColumns, type NewHolder } from './token-holder.ts';
import { listMadeBy } from './token-registry.ts';

/** Without an organization it is of the instance, and then its role is `operator`. */
interface NewManagementKey extends NewHolder {
  readonly role: ManagementKeyRow['role'];
}

export interface ManagementKeyUpdate extends HolderUpdate {
  readonly role?: ManagementKeyRow['role'] | undefined;
}

export type ManagementKeys = ReturnType<typeof createManagementKeys>;

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

/** More than people read one by one. The audit trail has all. */
const leftShown = 100;

const everything: Part = { take: 10_000, after: undefined };

/**
 * Keys (`wxa_…`) for automation. A person or key makes and changes only keys with no more rights than its own. A stolen
 * key must not outlive its end: it makes none that is valid for longer or from more addresses, gives such a key no new
 * token, changes it only to disable it, and never changes itself.
 */
export function createManagementKeys(needs: Needs) {
  const { database, clock } = needs;
  const holders = createTokenHolders(needs, 'management', toManagementKey, async (_trx, row) => toManagementKey(row));

  async function getFor(manager: Manager, id: string) {
    const row = await holders.get(id);
    requireRank(manager, row.role);
    return row;
  }

  async function requireWithin(db: Db, { by }: Manager, key: Pick<ManagementKeyRow, 'expires_at' | 'allow_list'>) {
    await requireNoLonger(db, by, key.expires_at);
    await requireNoWider(db, by, JSON.parse(key.allow_list) as string[]);
  }

  return {
    /** The only time that the token is shown. */
    async create(manager: Manager, request: NewManagementKey) {
      checkRole(request.role, request.organizationId);
      requireRank(manager, request.role);
      const row = { ...(await holders.draft(manager.by, request)), role: request.role, created_by: manager.by };
      await requireWithin(database.db, manager, row);
      const { name, role, allow, expires_at } = toManagementKey(row);
      const { holder, token } = await holders.create(
        manager.by,
        row,
        { name, role, allow, expires_at },
        async (trx) => {
          if (row.organization_id !== '') await lockOrganization(trx, database, row.organization_id);
        },
      );
      return { key: holder, token };
    },

    /** @param check receives the key in the transaction, before the change */
    async update(
      manager: Manager,
      id: string,
      update: ManagementKeyUpdate,
      check?: (current: ManagementKey) => void,
    ): Promise<ManagementKey> {
      const row = await getFor(manager, id);
      if (keyIdIn(manager.by) === id) {
        throw new Problem('role_not_permitted', { detail: 'A key cannot change itself. It can get a new token.' });
      }
      const { role } = update;
      if (role !== undefined) {
        checkRole(role, row.organization_id);
        requireRank(manager, role);
      }
      const columns = { ...holderColumns(update), ...(role === undefined ? {} : { role }) };
      // Disabling a key is always allowed.
      const isOnlyOff = columns.enabled === 0 && Object.keys(columns).length === 1;
      const before = (current: ManagementKey) => {
        requireRank(manager, current.role);
        check?.(current);
      };
      return holders.update(manager.by, row, columns, before, async (trx, updated) => {
        if (!isOnlyOff) await requireWithin(trx, manager, updated);
      });
    },

    /** A new token. Former ones stay valid for `overlapMs`. */
    async rotate(manager: Manager, id: string, overlapMs: number) {
      const row = await getFor(manager, id);
      const { holder, ...rotated } = await holders.rotate(manager.by, row, overlapMs, async (trx, locked) => {
        requireRank(manager, locked.role);
        await requireWithin(trx, manager, locked);
      });
      return { key: holder, ...rotated };
    },

    /** Oldest first. @param organizationId empty: the instance's; undefined: all */
    list: async (organizationId?: string, part = everything) =>
      (await listManagementKeys(database.db, organizationId, part)).map(toManagementKey),

    show: holders.show,

    /** @returns `left`: the holders of tokens that the key has made, and so has seen. They stay valid without the key. */
    async delete(manager: Manager, id: string) {
      return holders.delete(manager.by, await getFor(manager, id), async (trx) => ({
        left: await listMadeBy(trx, id, clock.now(), leftShown),
      }));
    },
  };
}

function checkRole(role: ManagementKeyRow['role'], organizationId: string): void {
  if ((role === 'operator') === (organizationId === '')) return;
  throw new Problem('invalid_parameter', {
    field: 'role',
    detail: 'A key of the instance has the role operator; a key of an organization has one of its roles.',
  });
}
