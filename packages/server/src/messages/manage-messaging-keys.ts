import { checkName, requireOrganization } from '../accounts/organization.ts';
import { expireTokens, listTokens, registerToken, removeTokens } from '../accounts/token-registry.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/connect.ts';
import type { MessagingKeyRow } from '../database/tables.ts';
import { parseAllowList } from '../http/ip-allow-list.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { issueToken } from '../secrets/token.ts';
import { type MessagingKey, type MessagingKeyDetails, toMessagingKey, toMessagingKeyDetails } from './messaging-key.ts';
import {
  deleteMessagingKey,
  findMessagingKey,
  insertMessagingKey,
  type KeyPart,
  listMessagingKeys,
  lockMessagingKey,
  type MessagingKeyChange,
  updateMessagingKey,
} from './messaging-key-store.ts';

export interface NewMessagingKey {
  readonly organizationId: string;
  readonly name: string;
  /** Addresses and CIDR networks. Empty admits nobody. */
  readonly allow: readonly string[];
}

export interface MessagingKeyUpdate {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly permitted?: boolean | undefined;
  readonly queryToken?: boolean | undefined;
  readonly allow?: readonly string[] | undefined;
  /** Epoch milliseconds; null: does not expire. */
  readonly expiresAt?: number | null | undefined;
}

export interface MessagingKeys {
  /** The token is shown here and never again. */
  create(actor: string, request: NewMessagingKey): Promise<{ messagingKey: MessagingKey; token: SecretText }>;
  /** @param requireSame as in `Deployments.update` */
  update(
    actor: string,
    id: string,
    update: MessagingKeyUpdate,
    requireSame?: (current: MessagingKey) => void,
  ): Promise<MessagingKey>;
  /** A new token; the ones before stay valid for `overlapMs` more. */
  rotate(
    actor: string,
    id: string,
    overlapMs: number,
  ): Promise<{ messagingKey: MessagingKey; token: SecretText; formerValidUntil: string }>;
  /** @param organizationId undefined: of all organizations */
  list(organizationId?: string, part?: KeyPart): Promise<MessagingKey[]>;
  show(id: string): Promise<MessagingKeyDetails>;
  delete(actor: string, id: string): Promise<{ id: string }>;
}

interface Needs {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

const overlapLimitMs = 30 * 86_400_000;
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function createMessagingKeys({ database, feed, audit, clock }: Needs): MessagingKeys {
  /** Every change: its rows, the note for the caches, the audit entry, in one transaction. */
  function change<T>(
    actor: string,
    action: string,
    row: Pick<MessagingKeyRow, 'organization_id' | 'id'>,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number) => Promise<T>,
  ): Promise<T> {
    const at = clock.now();
    return feed.write(async (trx, note) => {
      const result = await write(trx, at);
      note('messaging-key', row.id, row.organization_id);
      await audit.record(trx, [
        { organizationId: row.organization_id, actor, action, subject: row.id, at, detail: JSON.stringify(detail) },
      ]);
      return result;
    });
  }

  const get = async (id: string): Promise<MessagingKeyRow> => (await findMessagingKey(database.db, id)) ?? absent(id);

  return {
    async create(actor, request) {
      await requireOrganization(database.db, request.organizationId);
      const at = clock.now();
      const row: MessagingKeyRow = {
        organization_id: request.organizationId,
        id: newId(at),
        name: checkName('name', request.name),
        enabled: 1,
        permitted: 1,
        query_token: 1,
        allow_list: JSON.stringify(parseAllowList(request.allow)),
        expires_at: null,
        created_at: at,
        updated_at: at,
      };
      const detail = { name: row.name, allow: JSON.parse(row.allow_list) as unknown };
      const token = await change(actor, 'messaging-key.create', row, detail, async (trx) => {
        await insertMessagingKey(trx, row);
        return issue(trx, row, at);
      });
      return { messagingKey: toMessagingKey(row), token };
    },

    async update(actor, id, update, requireSame) {
      const row = await get(id);
      const columns = toColumns(update);
      if (Object.keys(columns).length === 0) {
        throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one thing to change.' });
      }
      const updated = await change(actor, 'messaging-key.update', row, toDetail(row, columns), async (trx, at) => {
        requireSame?.(toMessagingKey((await lockMessagingKey(database, trx, id)) ?? absent(id)));
        return (await updateMessagingKey(trx, row, columns, at)) ?? absent(id);
      });
      return toMessagingKey(updated);
    },

    async rotate(actor, id, overlapMs) {
      if (!(overlapMs >= 0 && overlapMs <= overlapLimitMs)) {
        throw new Problem('invalid_parameter', { field: 'overlap', detail: 'overlap must lie between 0 and 30 days.' });
      }
      const row = await get(id);
      const detail = { overlap_seconds: overlapMs / 1000 };
      const { rotated, token, until } = await change(actor, 'messaging-key.rotate', row, detail, async (trx, at) => {
        const rotated = (await updateMessagingKey(trx, row, {}, at)) ?? absent(id);
        await expireTokens(trx, row.organization_id, row.id, at + overlapMs);
        return { rotated, token: await issue(trx, row, at), until: at + overlapMs };
      });
      return { messagingKey: toMessagingKey(rotated), token, formerValidUntil: toRfc3339(until) };
    },

    list: async (organizationId, part) =>
      (await listMessagingKeys(database.db, organizationId, part)).map(toMessagingKey),

    async show(id) {
      const row = await get(id);
      return toMessagingKeyDetails(row, await listTokens(database.db, row.organization_id, row.id));
    },

    async delete(actor, id) {
      const row = await get(id);
      await change(actor, 'messaging-key.delete', row, { name: row.name }, async (trx) => {
        if (!(await deleteMessagingKey(trx, row))) absent(id);
        await removeTokens(trx, row.organization_id, row.id);
      });
      return { id };
    },
  };
}

async function issue(trx: Db, row: MessagingKeyRow, at: number): Promise<SecretText> {
  const token = issueToken('messaging');
  await registerToken(trx, {
    hash: token.hash.toString('hex'),
    kind: 'messaging',
    organizationId: row.organization_id,
    subjectId: row.id,
    hint: token.hint,
    createdAt: at,
    expiresAt: null,
  });
  return token.clear;
}

/** Also when it was deleted while it was being changed: then nothing of the change stays. */
function absent(id: string): never {
  throw new Problem('not_found', {
    field: 'messaging_key',
    detail: `There is no messaging key ${id}. "messaging-key list" shows those there are.`,
  });
}

/** What changes, named and formed as people see it. */
function toDetail(row: MessagingKeyRow, columns: MessagingKeyChange): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...toMessagingKey({ ...row, ...columns }) };
  const names = Object.keys(columns).map((column) => (column === 'allow_list' ? 'allow' : column));
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

function toColumns(update: MessagingKeyUpdate): MessagingKeyChange {
  const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);
  return {
    ...(update.name === undefined ? {} : { name: checkName('name', update.name) }),
    ...(update.enabled === undefined ? {} : { enabled: flag(update.enabled) }),
    ...(update.permitted === undefined ? {} : { permitted: flag(update.permitted) }),
    ...(update.queryToken === undefined ? {} : { query_token: flag(update.queryToken) }),
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
