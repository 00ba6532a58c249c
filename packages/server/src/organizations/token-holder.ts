import type { Ground } from '../audit/ground.ts';
/** What deployments, messaging keys and management keys share: name, switch, allow-list, perhaps an end, and tokens. */

import { keyIdIn } from '../api/actor.ts';
import type { Note } from '../database/change-feed.ts';
import type { ChangedKind } from '../database/change-log.ts';
import type { Db } from '../database/database.ts';
import { parseAllowList } from '../http/request/ip-allow-list.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { issueToken, type TokenKind } from '../secrets/token.ts';
import { requireNoLonger } from './maker-bounds.ts';
import { checkName } from './organization.ts';
import { expireTokens, listTokens, registerToken, removeTokens } from './token-registry.ts';

export { endOfMaker } from './maker-bounds.ts';

/** The organization is empty for a holder of the whole instance. */
interface HolderRow {
  readonly organization_id: string;
  readonly id: string;
  readonly name: string;
  /** Epoch milliseconds; null: does not expire. */
  readonly expires_at: number | null;
}

export interface HolderUpdate {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Addresses and CIDR networks. Empty admits no address. */
  readonly allow?: readonly string[] | undefined;
  /** Epoch milliseconds; null: does not expire. */
  readonly expiresAt?: number | null | undefined;
}

interface HolderColumns {
  name?: string;
  enabled?: 0 | 1;
  /** JSON. */
  allow_list?: string;
  expires_at?: number | null;
}

/** A new token, and until when the former ones stay valid. */
export interface RotatedToken<Row> {
  readonly row: Row;
  readonly token: SecretText;
  /** RFC 3339. */
  readonly formerValidUntil: string;
}

/** Writes the holders of one kind, each in one transaction with the note for the caches and the audit entry. */
interface TokenHolders {
  /** @param verb the audit action's, such as `update` */
  change<T>(
    by: string,
    verb: 'create' | 'update' | 'rotate' | 'delete',
    row: Pick<HolderRow, 'organization_id' | 'id'>,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number, note: Note) => Promise<T>,
  ): Promise<T>;
  /** @param write locks the row before it changes it. @throws Problem `invalid_parameter` as `requireNoLonger` does */
  update<T>(
    by: string,
    row: Pick<HolderRow, 'organization_id' | 'id'>,
    columns: HolderColumns,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number) => Promise<T>,
  ): Promise<T>;
  /** A first or further token. The only time that it is shown. */
  issue(trx: Db, by: string, row: Pick<HolderRow, 'organization_id' | 'id'>, at: number): Promise<SecretText>;
  /** A new token. Former ones stay valid for `overlapMs`. @param lock locks the row, and throws when it is gone */
  rotate<Row extends HolderRow>(
    by: string,
    row: Row,
    overlapMs: number,
    lock: (trx: Db, at: number, row: Row) => Promise<Row>,
  ): Promise<RotatedToken<Row>>;
  /** @param remove removes the row. It throws when the row is gone */
  delete<Row extends HolderRow, T>(by: string, row: Row, remove: (trx: Db, row: Row) => Promise<T>): Promise<T>;
}

type Needs = Pick<Ground, 'feed' | 'audit' | 'clock'>;

interface Kind {
  /** Its name for the caches and the audit trail. */
  readonly subject: Extract<ChangedKind, 'deployment' | 'messaging-key' | 'management-key'>;
  readonly tokens: TokenKind;
}

const overlapLimitMs = 30 * 86_400_000;
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function createTokenHolders({ feed, audit, clock }: Needs, { subject, tokens }: Kind): TokenHolders {
  const holders: TokenHolders = {
    change(by, verb, { organization_id: organizationId, id }, detail, write) {
      const at = clock.now();
      const entry = { organizationId, actor: by, action: `${subject}.${verb}` as const, subject: id, at };
      return feed.write(async (trx, note) => {
        const result = await write(trx, at, note);
        note(subject, id, organizationId === '' ? undefined : organizationId);
        await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
        return result;
      });
    },

    update: (by, row, columns, detail, write) =>
      holders.change(by, 'update', row, detail, async (trx, at, note) => {
        if (columns.expires_at !== undefined) await requireNoLonger(trx, by, columns.expires_at);
        const result = await write(trx, at);
        // Note each token as well: servers that cache it only to reject it know its expiry, but not its holder.
        const tokens = await listTokens(trx, row.organization_id, row.id);
        for (const { hash, ended } of tokens) if (!ended) note('token', hash);
        return result;
      }),

    async issue(trx, by, { organization_id: organizationId, id: subjectId }, createdAt) {
      const { clear, hash, hint } = issueToken(tokens);
      const token = { kind: tokens, organizationId, subjectId, hint, createdAt, expiresAt: null };
      await registerToken(trx, { hash: hash.toString('hex'), ...token }, keyIdIn(by));
      return clear;
    },

    async rotate(by, row, overlapMs, lock) {
      if (!(overlapMs >= 0 && overlapMs <= overlapLimitMs)) {
        throw new Problem('invalid_parameter', { field: 'overlap', detail: 'overlap must lie between 0 and 30 days.' });
      }
      return holders.change(by, 'rotate', row, { overlap_seconds: overlapMs / 1000 }, async (trx, at, note) => {
        const locked = await lock(trx, at, row);
        await requireNoLonger(trx, by, locked.expires_at);
        const until = at + overlapMs;
        // Each token: servers cache a token's end apart from its holder.
        const ending = await expireTokens(trx, row.organization_id, row.id, until, overlapMs === 0);
        for (const hash of ending) note('token', hash);
        return { row: locked, token: await holders.issue(trx, by, row, at), formerValidUntil: toRfc3339(until) };
      });
    },

    delete: (by, row, remove) =>
      holders.change(by, 'delete', row, { name: row.name }, async (trx, _at, note) => {
        const result = await remove(trx, row);
        // Each token: servers of other kinds cache it to reject it.
        for (const hash of await removeTokens(trx, row.organization_id, row.id)) note('token', hash);
        return result;
      }),
  };
  return holders;
}

/** @throws Problem `invalid_parameter` */
export function holderColumns({ name, enabled, allow, expiresAt }: HolderUpdate): HolderColumns {
  return {
    ...(name === undefined ? {} : { name: checkName('name', name) }),
    ...(enabled === undefined ? {} : { enabled: flag(enabled) }),
    ...(allow === undefined ? {} : { allow_list: JSON.stringify(parseAllowList(allow)) }),
    ...(expiresAt === undefined ? {} : { expires_at: checkExpiry(expiresAt) }),
  };
}

export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** @throws Problem `invalid_parameter` when nothing would change */
export function requireChange(columns: object): void {
  if (Object.keys(columns).length > 0) return;
  throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one field to change.' });
}

/** The changed fields, in the names and form that people see. @param shown the holder after the change */
export function changedFacts(shown: object, columns: object): Record<string, unknown> {
  const facts: Record<string, unknown> = { ...shown };
  const names = Object.keys(columns).map((column) => (column === 'allow_list' ? 'allow' : column));
  return Object.fromEntries(names.map((name) => [name, facts[name]]));
}

/** @param at epoch milliseconds; null: does not expire */
export function checkExpiry(at: number | null): number | null {
  if (at === null || (Number.isInteger(at) && at >= 0 && at <= latestExpiry)) return at;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: 'expires_at must be a time from 1970 to 9999, or never.',
  });
}
