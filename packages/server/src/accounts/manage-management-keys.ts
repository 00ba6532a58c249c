import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/connect.ts';
import type { ManagementKeyRow } from '../database/tables.ts';
import { parseAllowList } from '../http/ip-allow-list.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { issueToken } from '../secrets/token.ts';
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
import { expireTokens, listTokens, registerToken, removeTokens } from './token-registry.ts';

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

export interface ManagementKeyUpdate {
  readonly name?: string | undefined;
  readonly role?: ManagementKeyRow['role'] | undefined;
  readonly enabled?: boolean | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly expiresAt?: number | null | undefined;
}

/**
 * Keys (`wxa_…`) for automation. Nobody makes or changes one that may more than they themselves; nor does a key make one
 * that outlives it, or change itself: whoever has got hold of it must not be able to keep it.
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
const overlapLimitMs = 30 * 86_400_000;
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function createManagementKeys({ database, feed, audit, clock }: Needs): ManagementKeys {
  /** Every change: its rows, the note for the caches, the audit entry, in one transaction. */
  function change<T>(
    by: string,
    action: string,
    row: Pick<ManagementKeyRow, 'organization_id' | 'id'>,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number) => Promise<T>,
  ): Promise<T> {
    const at = clock.now();
    return feed.write(async (trx, note) => {
      const result = await write(trx, at);
      note('management-key', row.id, row.organization_id === '' ? undefined : row.organization_id);
      await audit.record(trx, [
        { organizationId: row.organization_id, actor: by, action, subject: row.id, at, detail: JSON.stringify(detail) },
      ]);
      return result;
    });
  }

  async function getFor(manager: Manager, id: string): Promise<ManagementKeyRow> {
    const row = (await findManagementKey(database.db, id)) ?? absent(id);
    requireRank(manager, row.role);
    return row;
  }

  async function requireNoLonger({ keyId }: Manager, expiresAt: number | null | undefined): Promise<void> {
    const limit = keyId === undefined ? null : ((await findManagementKey(database.db, keyId))?.expires_at ?? null);
    if (limit === null || expiresAt === undefined || (expiresAt !== null && expiresAt <= limit)) return;
    throw new Problem('invalid_parameter', {
      field: 'expires_at',
      detail: `A key lets no other live longer than itself: until ${toRfc3339(limit)} at most.`,
    });
  }

  return {
    async create(manager, request) {
      await requireNoLonger(manager, request.expiresAt);
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
      const token = await change(
        manager.by,
        'management-key.create',
        row,
        { name, role, allow, expires_at },
        async (trx) => {
          await insertManagementKey(trx, row);
          return issue(trx, row, at);
        },
      );
      return { key: toManagementKey(row), token };
    },

    async update(manager, id, update, check) {
      const row = await getFor(manager, id);
      if (manager.keyId === id) {
        throw new Problem('role_not_permitted', { detail: 'A key does not change itself; it may get a new token.' });
      }
      await requireNoLonger(manager, update.expiresAt);
      if (update.role !== undefined) {
        checkRole(update.role, row.organization_id);
        requireRank(manager, update.role);
      }
      const columns = toColumns(update);
      if (Object.keys(columns).length === 0) {
        throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one thing to change.' });
      }
      const detail = toDetail(row, columns);
      return change(manager.by, 'management-key.update', row, detail, async (trx, at) => {
        const current = (await updateManagementKey(trx, row, {}, row.updated_at)) ?? absent(id);
        requireRank(manager, current.role);
        check?.(toManagementKey(current));
        return toManagementKey((await updateManagementKey(trx, row, columns, at)) ?? absent(id));
      });
    },

    async rotate(manager, id, overlapMs) {
      if (!(overlapMs >= 0 && overlapMs <= overlapLimitMs)) {
        throw new Problem('invalid_parameter', { field: 'overlap', detail: 'overlap must lie between 0 and 30 days.' });
      }
      const row = await getFor(manager, id);
      const detail = { overlap_seconds: overlapMs / 1000 };
      return change(manager.by, 'management-key.rotate', row, detail, async (trx, at) => {
        const rotated = (await updateManagementKey(trx, row, {}, at)) ?? absent(id);
        requireRank(manager, rotated.role);
        await expireTokens(trx, row.organization_id, row.id, at + overlapMs);
        const token = await issue(trx, row, at);
        return { key: toManagementKey(rotated), token, formerValidUntil: toRfc3339(at + overlapMs) };
      });
    },

    list: async (organizationId, part = everything) =>
      (await listManagementKeys(database.db, organizationId, part)).map(toManagementKey),

    async show(id) {
      const row = (await findManagementKey(database.db, id)) ?? absent(id);
      return toManagementKeyDetails(row, await listTokens(database.db, row.organization_id, row.id));
    },

    async delete(manager, id) {
      const row = await getFor(manager, id);
      await change(manager.by, 'management-key.delete', row, { name: row.name }, async (trx) => {
        if (!(await deleteManagementKey(trx, row))) absent(id);
        await removeTokens(trx, row.organization_id, row.id);
      });
      return { id };
    },
  };
}

async function issue(trx: Db, row: ManagementKeyRow, at: number): Promise<SecretText> {
  const token = issueToken('management');
  await registerToken(trx, {
    hash: token.hash.toString('hex'),
    kind: 'management',
    organizationId: row.organization_id,
    subjectId: row.id,
    hint: token.hint,
    createdAt: at,
    expiresAt: null,
  });
  return token.clear;
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

/** What changes, named and formed as people see it. */
function toDetail(row: ManagementKeyRow, columns: ManagementKeyChange): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...toManagementKey({ ...row, ...columns }) };
  const names = Object.keys(columns).map((column) => (column === 'allow_list' ? 'allow' : column));
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

function toColumns(update: ManagementKeyUpdate): ManagementKeyChange {
  return {
    ...(update.name === undefined ? {} : { name: checkName('name', update.name) }),
    ...(update.role === undefined ? {} : { role: update.role }),
    ...(update.enabled === undefined ? {} : { enabled: update.enabled ? 1 : 0 }),
    ...(update.allow === undefined ? {} : { allow_list: JSON.stringify(parseAllowList(update.allow)) }),
    ...(update.expiresAt === undefined ? {} : { expires_at: checkExpiry(update.expiresAt) }),
  };
}

function checkExpiry(at: number | null): number | null {
  if (at === null || (Number.isInteger(at) && at >= 0 && at <= latestExpiry)) return at;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: 'expires_at must be a moment from 1970 to 9999, or never.',
  });
}
