import { keyIdIn } from '../api/actor.ts';
import { type Manager, requireRank } from '../api/manager.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';
import { parseAllowList } from '../http/request/ip-allow-list.ts';
import { newId } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { endOfMaker, requireNoLonger, requireNoWider } from './maker-bounds.ts';
import {
  type ManagementKey,
  type ManagementKeyDetails,
  toManagementKey,
  toManagementKeyDetails,
} from './management-key.ts';
import { findManagementKey } from './management-key-lookup.ts';
import {
  deleteManagementKey,
  insertManagementKey,
  listManagementKeys,
  type ManagementKeyChange,
  updateManagementKey,
} from './management-key-store.ts';
import { checkName, lockOrganization } from './organization.ts';
import {
  changedFacts,
  checkExpiry,
  createTokenHolders,
  type HolderUpdate,
  holderColumns,
  requireChange,
} from './token-holder.ts';
import { listMadeBy, listTokens, type MadeHolder } from './token-registry.ts';

export interface NewManagementKey {
  /** Empty for the instance, and then its role is `operator`. */
  readonly organizationId: string;
  readonly name: string;
  readonly role: ManagementKeyRow['role'];
  /** Addresses and CIDR networks. Empty admits no address. */
  readonly allow: readonly string[];
  /** Epoch milliseconds; null: does not expire; absent: with the key that makes it, if that expires. */
  readonly expiresAt?: number | null | undefined;
}

export interface ManagementKeyUpdate extends HolderUpdate {
  readonly role?: ManagementKeyRow['role'] | undefined;
}

/**
 * Keys (`wxa_…`) for automation. Nobody makes or changes one with more rights than their own. A stolen key must not
 * outlive its end: it makes none that is valid for longer or from more addresses, gives such a key no new token,
 * changes it only to disable it, and never changes itself.
 */
export interface ManagementKeys {
  /** The only time that the token is shown. */
  create(manager: Manager, request: NewManagementKey): Promise<{ key: ManagementKey; token: SecretText }>;
  /** @param check receives the key in the transaction, before the change */
  update(
    manager: Manager,
    id: string,
    update: ManagementKeyUpdate,
    check?: (current: ManagementKey) => void,
  ): Promise<ManagementKey>;
  /** A new token. Former ones stay valid for `overlapMs`. */
  rotate(
    manager: Manager,
    id: string,
    overlapMs: number,
  ): Promise<{ key: ManagementKey; token: SecretText; formerValidUntil: string }>;
  /** Oldest first. @param organizationId empty: the instance's; undefined: all */
  list(organizationId?: string, part?: Part): Promise<ManagementKey[]>;
  /** @throws Problem `not_found`, naming `management_key` */
  show(id: string): Promise<ManagementKeyDetails>;
  delete(manager: Manager, id: string): Promise<DeletedKey>;
}

export interface DeletedKey {
  readonly id: string;
  /** Holders whose tokens the key has made, and so has seen. They stay valid without it. */
  readonly left: { readonly total: number; readonly items: readonly MadeHolder[] };
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

/** More than people read one by one. The audit trail has all. */
const leftShown = 100;

const everything: Part = { take: 10_000, after: undefined };

export function createManagementKeys({ database, feed, audit, clock }: Needs): ManagementKeys {
  const holders = createTokenHolders({ feed, audit, clock }, { subject: 'management-key', tokens: 'management' });

  async function getFor(manager: Manager, id: string): Promise<ManagementKeyRow> {
    const row = (await findManagementKey(database.db, id)) ?? absent('management key', id);
    requireRank(manager, row.role);
    return row;
  }

  async function requireWithin(db: Db, { by }: Manager, key: Pick<ManagementKeyRow, 'expires_at' | 'allow_list'>) {
    await requireNoLonger(db, by, key.expires_at);
    await requireNoWider(db, by, JSON.parse(key.allow_list) as string[]);
  }

  return {
    async create(manager, request) {
      const { expiresAt = await endOfMaker(database.db, manager.by) } = request;
      checkRole(request.role, request.organizationId);
      requireRank(manager, request.role);
      const at = clock.now();
      const row: ManagementKeyRow = {
        organization_id: request.organizationId,
        id: newId(at),
        name: checkName('name', request.name),
        role: request.role,
        enabled: 1,
        allow_list: JSON.stringify(parseAllowList(request.allow)),
        expires_at: checkExpiry(expiresAt),
        created_by: manager.by,
        created_at: at,
        updated_at: at,
      };
      await requireWithin(database.db, manager, row);
      const { name, role, allow, expires_at } = toManagementKey(row);
      const detail = { name, role, allow, expires_at };
      const token = await holders.change(manager.by, 'create', row, detail, async (trx) => {
        if (row.organization_id !== '') await lockOrganization(trx, database, row.organization_id);
        await insertManagementKey(trx, row);
        return holders.issue(trx, manager.by, row, at);
      });
      return { key: toManagementKey(row), token };
    },

    async update(manager, id, update, check) {
      const row = await getFor(manager, id);
      if (keyIdIn(manager.by) === id) {
        throw new Problem('role_not_permitted', { detail: 'A key cannot change itself. It can get a new token.' });
      }
      if (update.role !== undefined) {
        checkRole(update.role, row.organization_id);
        requireRank(manager, update.role);
      }
      const columns = toColumns(update);
      requireChange(columns);
      // Disabling a key is always allowed.
      const isOnlyOff = columns.enabled === 0 && Object.keys(columns).length === 1;
      const detail = changedFacts(toManagementKey({ ...row, ...columns }), columns);
      return holders.update(manager.by, row, columns, detail, async (trx, at) => {
        const current = (await updateManagementKey(trx, row, {}, row.updated_at)) ?? absent('management key', id);
        requireRank(manager, current.role);
        check?.(toManagementKey(current));
        const updated = (await updateManagementKey(trx, row, columns, at)) ?? absent('management key', id);
        if (!isOnlyOff) await requireWithin(trx, manager, updated);
        return toManagementKey(updated);
      });
    },

    async rotate(manager, id, overlapMs) {
      const former = await getFor(manager, id);
      const { row, ...rotated } = await holders.rotate(manager.by, former, overlapMs, async (trx, at) => {
        const locked = (await updateManagementKey(trx, former, {}, at)) ?? absent('management key', id);
        requireRank(manager, locked.role);
        await requireWithin(trx, manager, locked);
        return locked;
      });
      return { key: toManagementKey(row), ...rotated };
    },

    list: async (organizationId, part = everything) =>
      (await listManagementKeys(database.db, organizationId, part)).map(toManagementKey),

    async show(id) {
      const row = (await findManagementKey(database.db, id)) ?? absent('management key', id);
      return toManagementKeyDetails(row, await listTokens(database.db, row.organization_id, row.id));
    },

    async delete(manager, id) {
      return holders.delete(manager.by, await getFor(manager, id), async (trx, row) => {
        if (!(await deleteManagementKey(trx, row))) absent('management key', id);
        return { id, left: await listMadeBy(trx, id, clock.now(), leftShown) };
      });
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

function toColumns(update: ManagementKeyUpdate): ManagementKeyChange {
  return { ...holderColumns(update), ...(update.role === undefined ? {} : { role: update.role }) };
}
