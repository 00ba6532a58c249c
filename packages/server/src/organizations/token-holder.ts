/** What deployments, messaging keys and management keys share: name, switch, allow-list, perhaps an end, and tokens. */

import { keyIdIn } from '../api/actor.ts';
import type { Ground } from '../audit/ground.ts';
import type { Note } from '../database/change-feed.ts';
import type { Db } from '../database/database.ts';
import type { MessagingKeyRow } from '../database/schema/message-tables.ts';
import { parseAllowList } from '../http/request/ip-allow-list.ts';
import { newId, toRfc3339 } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { issueToken, type TokenKind } from '../secrets/token.ts';
import { deleteHolder, findHolder, type HolderRows, insertHolder, lockHolder, updateHolder } from './holder-store.ts';
import { endOfMaker, requireNoLonger } from './maker-bounds.ts';
import { checkName } from './organization.ts';
import { expireTokens, listTokens, type RegisteredToken, registerToken, removeTokens } from './token-registry.ts';

export interface NewHolder {
  /** Empty for the instance. */
  readonly organizationId: string;
  readonly name: string;
  /** Addresses and CIDR networks. Empty admits no address. */
  readonly allow: readonly string[];
  /** Epoch milliseconds; null: does not expire; absent: with the key that makes it, if that expires. */
  readonly expiresAt?: number | null | undefined;
}

export interface HolderUpdate {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Addresses and CIDR networks. Empty admits no address. */
  readonly allow?: readonly string[] | undefined;
  /** Epoch milliseconds; null: does not expire. */
  readonly expiresAt?: number | null | undefined;
}

/** The switches that deployments and messaging keys have, and management keys have not. */
export interface PermissionUpdate {
  /** Off: the token is known, and refused as one that may not. */
  readonly permitted?: boolean | undefined;
  /** Whether `key=` in the URL counts as a credential. */
  readonly queryToken?: boolean | undefined;
}

/** The columns that all kinds have. */
type HolderRow = Omit<MessagingKeyRow, 'permitted' | 'query_token'>;

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

/** The names of the kinds for the caches and the audit trail. */
const subjects = { deployment: 'deployment', messaging: 'messaging-key', management: 'management-key' } as const;

const overlapLimitMs = 30 * 86_400_000;
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The holders of one kind. Each change is one transaction with the note for the caches and the audit entry.
 * @param show a row as people and scripts see it
 * @param answer what a change answers. It reads within the transaction: after the commit nothing may fail, because a token is
 *   shown only once
 */
export function createTokenHolders<Kind extends TokenKind, Shown extends object, Answer>(
  { database, feed, audit, clock }: Needs,
  kind: Kind,
  show: (row: HolderRows[Kind]) => Shown,
  answer: (trx: Db, row: HolderRows[Kind]) => Promise<Answer>,
) {
  type Row = HolderRows[Kind] & HolderRow;
  const subject = subjects[kind];

  const orAbsent = (row: HolderRows[Kind] | undefined, id: string): Row =>
    (row as Row | undefined) ?? absent(subject.replace('-', ' '), id);

  /** @throws Problem `not_found` */
  async function get(id: string): Promise<Row> {
    return orAbsent(await findHolder(database.db, kind, id), id);
  }

  /** @param verb the audit action's, such as `update` */
  function change<T>(
    by: string,
    verb: 'create' | 'update' | 'rotate' | 'delete',
    { organization_id: organizationId, id }: Pick<HolderRow, 'organization_id' | 'id'>,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number, note: Note) => Promise<T>,
  ): Promise<T> {
    const at = clock.now();
    const entry = { organizationId, actor: by, action: `${subject}.${verb}` as const, subject: id, at };
    return feed.write(async (trx, note) => {
      const result = await write(trx, at, note);
      note(subject, id, organizationId === '' ? undefined : organizationId);
      await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
      return result;
    });
  }

  async function issue(trx: Db, by: string, row: Row, createdAt: number): Promise<SecretText> {
    const { clear, hash, hint } = issueToken(kind);
    const token = { kind, organizationId: row.organization_id, subjectId: row.id, hint, createdAt, expiresAt: null };
    await registerToken(trx, { hash: hash.toString('hex'), ...token }, keyIdIn(by));
    return clear;
  }

  return {
    get,

    /** The columns of a new holder that all kinds have. @throws Problem `invalid_parameter` */
    async draft(by: string, { organizationId, name, allow, expiresAt }: NewHolder): Promise<HolderRow> {
      const at = clock.now();
      return {
        organization_id: organizationId,
        id: newId(at),
        name: checkName('name', name),
        enabled: 1,
        allow_list: JSON.stringify(parseAllowList(allow)),
        expires_at: expiresAt === undefined ? await endOfMaker(database.db, by) : checkExpiry(expiresAt),
        created_at: at,
        updated_at: at,
      };
    },

    /**
     * Stores a holder with its first token, which is shown here and never again.
     * @param prepare locks the thing to which the holder belongs
     */
    async create(by: string, row: Row, detail: Record<string, unknown>, prepare: (trx: Db) => Promise<unknown>) {
      return change(by, 'create', row, detail, async (trx) => {
        await prepare(trx);
        await insertHolder(trx, kind, row);
        const token = await issue(trx, by, row, row.created_at);
        return { holder: await answer(trx, row), token };
      });
    },

    /**
     * @param before receives the holder in the transaction, before the change
     * @param after receives the row in the transaction, after the change
     * @throws Problem `invalid_parameter` as `requireNoLonger` does, and when nothing would change
     */
    async update(
      by: string,
      row: Row,
      columns: Partial<HolderRows[Kind]> & Partial<HolderRow>,
      before?: (current: Shown) => void,
      after?: (trx: Db, updated: Row) => Promise<void>,
    ): Promise<Answer> {
      requireChange(columns);
      const detail = changedFacts(show({ ...row, ...columns }), columns);
      return change(by, 'update', row, detail, async (trx, at, note) => {
        if (columns.expires_at !== undefined) await requireNoLonger(trx, by, columns.expires_at);
        before?.(show(orAbsent(await lockHolder(database, trx, kind, row.id), row.id)));
        const updated = orAbsent(await updateHolder(trx, kind, row, columns, at), row.id);
        await after?.(trx, updated);
        // Note each token as well: servers that cache it only to reject it know its expiry, but not its holder.
        const tokens = await listTokens(trx, row.organization_id, row.id);
        for (const { hash, ended } of tokens) if (!ended) note('token', hash);
        return answer(trx, updated);
      });
    },

    /** A new token. Former ones stay valid for `overlapMs`. @param check receives the locked row */
    async rotate(by: string, row: Row, overlapMs: number, check?: (trx: Db, locked: Row) => Promise<void>) {
      if (!(overlapMs >= 0 && overlapMs <= overlapLimitMs)) {
        throw new Problem('invalid_parameter', { field: 'overlap', detail: 'overlap must lie between 0 and 30 days.' });
      }
      return change(by, 'rotate', row, { overlap_seconds: overlapMs / 1000 }, async (trx, at, note) => {
        const locked = orAbsent(await updateHolder(trx, kind, row, {}, at), row.id);
        await check?.(trx, locked);
        await requireNoLonger(trx, by, locked.expires_at);
        const until = at + overlapMs;
        // Each token: servers cache a token's end apart from its holder.
        const ending = await expireTokens(trx, row.organization_id, row.id, until, overlapMs === 0);
        for (const hash of ending) note('token', hash);
        const token = await issue(trx, by, row, at);
        return { holder: await answer(trx, locked), token, formerValidUntil: toRfc3339(until) };
      });
    },

    /** The holder with its tokens. @throws Problem `not_found` */
    async show(id: string) {
      const row = await get(id);
      return { ...show(row), tokens: (await listTokens(database.db, row.organization_id, id)).map(toHeldToken) };
    },

    /** @param also deletes the rest of it, in the same transaction. @throws Problem `not_found` */
    delete<T>(by: string, row: Row, also: (trx: Db) => Promise<T>): Promise<T> {
      return change(by, 'delete', row, { name: row.name }, async (trx, _at, note) => {
        if (!(await deleteHolder(trx, kind, row))) absent(subject.replace('-', ' '), row.id);
        const result = await also(trx);
        // Each token: servers of other kinds cache it to reject it.
        for (const hash of await removeTokens(trx, row.organization_id, row.id)) note('token', hash);
        return result;
      });
    },
  };
}

function toHeldToken({ hint, createdAt, expiresAt }: RegisteredToken) {
  return {
    hint,
    created_at: toRfc3339(createdAt),
    expires_at: expiresAt === null ? null : toRfc3339(expiresAt),
  };
}

/** @throws Problem `invalid_parameter` */
export function holderColumns({ name, enabled, allow, expiresAt }: HolderUpdate): Partial<HolderRow> {
  return {
    ...(name === undefined ? {} : { name: checkName('name', name) }),
    ...(enabled === undefined ? {} : { enabled: flag(enabled) }),
    ...(allow === undefined ? {} : { allow_list: JSON.stringify(parseAllowList(allow)) }),
    ...(expiresAt === undefined ? {} : { expires_at: checkExpiry(expiresAt) }),
  };
}

export function permissionColumns({ permitted, queryToken }: PermissionUpdate) {
  return {
    ...(permitted === undefined ? {} : { permitted: flag(permitted) }),
    ...(queryToken === undefined ? {} : { query_token: flag(queryToken) }),
  };
}

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** @throws Problem `invalid_parameter` when nothing would change */
function requireChange(columns: object): void {
  if (Object.keys(columns).length > 0) return;
  throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one field to change.' });
}

/** The changed fields, in the names and form that people see. @param shown the holder after the change */
function changedFacts(shown: object, columns: object): Record<string, unknown> {
  const facts: Record<string, unknown> = { ...shown };
  const names = Object.keys(columns).map((column) => (column === 'allow_list' ? 'allow' : column));
  return Object.fromEntries(names.map((name) => [name, facts[name]]));
}

/** @param at epoch milliseconds; null: does not expire */
function checkExpiry(at: number | null): number | null {
  if (at === null || (Number.isInteger(at) && at >= 0 && at <= latestExpiry)) return at;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: 'expires_at must be a time from 1970 to 9999, or never.',
  });
}
