import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ManagementKeyRow } from '../database/account-tables.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/connect.ts';
import { parseAllowList } from '../http/ip-allow-list.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { Part } from './account-store.ts';
import {
  type ManagementKey,
  type ManagementKeyDetails,
  toManagementKey,
  toManagementKeyDetails,
} from './management-key.ts';
import {
  deleteManagementKey,
  findManagementKey,
  insertManagementKey,
  listManagementKeys,
  type ManagementKeyChange,
  updateManagementKey,
} from './management-key-store.ts';
import { type Manager, requireRank } from './members.ts';
import { checkName, requireOrganization } from './organization.ts';
import {
  changedFacts,
  checkExpiry,
  createTokenHolders,
  type HolderUpdate,
  holderColumns,
  requireChange,
} from './token-holder.ts';
import { listTokens } from './token-registry.ts';

export interface NewManagementKey {
  /** Empty: of the whole instance; its role is `operator` then, and only then. */
  readonly organizationId: string;
  readonly name: string;
  readonly role: ManagementKeyRow['role'];
  /** Addresses and CIDR networks. Empty admits nobody. */
  readonly allow: readonly string[];
  /** Epoch milliseconds; null: does not expire. */
  readonly expiresAt: number | null;
}

export interface ManagementKeyUpdate extends HolderUpdate {
  readonly role?: ManagementKeyRow['role'] | undefined;
}

/**
 * Keys (`wxa_…`) for automation. Nobody makes or changes one that may more than they themselves; nor does a key make one
 * that outlives it, give such a one a new token or change it but to switch it off, or change itself: whoever has got hold
 * of it must not be able to keep it.
 */
export interface ManagementKeys {
  /** The token is shown here and never again. */
  create(manager: Manager, request: NewManagementKey): Promise<{ key: ManagementKey; token: SecretText }>;
  /** @param check hears of the key as it is, in the transaction that changes it, before it does */
  update(
    manager: Manager,
    id: string,
    update: ManagementKeyUpdate,
    check?: (current: ManagementKey) => void,
  ): Promise<ManagementKey>;
  /** A new token; the ones before stay valid for `overlapMs` more. */
  rotate(
    manager: Manager,
    id: string,
    overlapMs: number,
  ): Promise<{ key: ManagementKey; token: SecretText; formerValidUntil: string }>;
  /** Oldest first. @param organizationId empty: of the instance; undefined: all */
  list(organizationId?: string, part?: Part): Promise<ManagementKey[]>;
  /** @throws Problem `not_found`, naming `management_key` */
  show(id: string): Promise<ManagementKeyDetails>;
  delete(manager: Manager, id: string): Promise<{ id: string }>;
}

interface Needs {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

const everything: Part = { take: 10_000, after: undefined };

export function createManagementKeys({ database, feed, audit, clock }: Needs): ManagementKeys {
  const holders = createTokenHolders({ feed, audit, clock }, { subject: 'management-key', tokens: 'management' });

  async function getFor(manager: Manager, id: string): Promise<ManagementKeyRow> {
    const row = (await findManagementKey(database.db, id)) ?? absent(id);
    requireRank(manager, row.role);
    return row;
  }

  async function requireNoLonger(db: Db, { keyId }: Manager, expiresAt: number | null): Promise<void> {
    const limit = keyId === undefined ? null : ((await findManagementKey(db, keyId))?.expires_at ?? null);
    if (limit === null || (expiresAt !== null && expiresAt <= limit)) return;
    throw new Problem('invalid_parameter', {
      field: 'expires_at',
      detail: `A key lets no other live longer than itself: until ${toRfc3339(limit)} at most.`,
    });
  }

  return {
    async create(manager, request) {
      await requireNoLonger(database.db, manager, request.expiresAt);
      checkRole(request.role, request.organizationId);
      requireRank(manager, request.role);
      if (request.organizationId !== '') await requireOrganization(database.db, request.organizationId);
      const at = clock.now();
      const row: ManagementKeyRow = {
        organization_id: request.organizationId,
        id: newId(at),
        name: checkName('name', request.name),
        role: request.role,
        enabled: 1,
        allow_list: JSON.stringify(parseAllowList(request.allow)),
        expires_at: checkExpiry(request.expiresAt),
        created_by: manager.by,
        created_at: at,
        updated_at: at,
      };
      const { name, role, allow, expires_at } = toManagementKey(row);
      const detail = { name, role, allow, expires_at };
      const token = await holders.change(manager.by, 'create', row, detail, async (trx) => {
        await insertManagementKey(trx, row);
        return holders.issue(trx, row, at);
      });
      return { key: toManagementKey(row), token };
    },

    async update(manager, id, update, check) {
      const row = await getFor(manager, id);
      if (manager.keyId === id) {
        throw new Problem('role_not_permitted', { detail: 'A key does not change itself; it may get a new token.' });
      }
      if (update.role !== undefined) {
        checkRole(update.role, row.organization_id);
        requireRank(manager, update.role);
      }
      const columns = toColumns(update);
      requireChange(columns);
      // Switching one off is no way to keep it.
      const isOnlyOff = columns.enabled === 0 && Object.keys(columns).length === 1;
      const detail = changedFacts(toManagementKey({ ...row, ...columns }), columns);
      return holders.update(manager.by, row, detail, async (trx, at) => {
        const current = (await updateManagementKey(trx, row, {}, row.updated_at)) ?? absent(id);
        requireRank(manager, current.role);
        check?.(toManagementKey(current));
        const updated = (await updateManagementKey(trx, row, columns, at)) ?? absent(id);
        if (!isOnlyOff) await requireNoLonger(trx, manager, updated.expires_at);
        return toManagementKey(updated);
      });
    },

    async rotate(manager, id, overlapMs) {
      const former = await getFor(manager, id);
      const { row, ...rotated } = await holders.rotate(manager.by, former, overlapMs, async (trx, at) => {
        const locked = (await updateManagementKey(trx, former, {}, at)) ?? absent(id);
        requireRank(manager, locked.role);
        await requireNoLonger(trx, manager, locked.expires_at);
        return locked;
      });
      return { key: toManagementKey(row), ...rotated };
    },

    list: async (organizationId, part = everything) =>
      (await listManagementKeys(database.db, organizationId, part)).map(toManagementKey),

    async show(id) {
      const row = (await findManagementKey(database.db, id)) ?? absent(id);
      return toManagementKeyDetails(row, await listTokens(database.db, row.organization_id, row.id));
    },

    async delete(manager, id) {
      await holders.delete(manager.by, await getFor(manager, id), async (trx, row) => {
        if (!(await deleteManagementKey(trx, row))) absent(id);
      });
      return { id };
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

/** Also when it was deleted while it was being changed: then nothing of the change stays. */
function absent(id: string): never {
  throw new Problem('not_found', {
    field: 'management_key',
    detail: `There is no management key ${id}. "management-key list" shows those there are.`,
  });
}

function toColumns(update: ManagementKeyUpdate): ManagementKeyChange {
  return { ...holderColumns(update), ...(update.role === undefined ? {} : { role: update.role }) };
}
