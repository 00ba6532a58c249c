import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { TokenRow } from '../database/schema/account-tables.ts';

/** A token as the database stores it: a hash without its text. */
export interface RegisteredToken {
  /** SHA-256 of the token's text, hexadecimal. */
  readonly hash: string;
  readonly kind: TokenRow['kind'];
  readonly organizationId: string;
  readonly subjectId: string;
  /** A few characters by which people recognize it. */
  readonly hint: string;
  readonly createdAt: number;
  /** Epoch milliseconds; null: no end of its own. */
  readonly expiresAt: number | null;
  /** Whether it was taken away. */
  readonly ended: boolean;
}

/** @param madeBy the management key that made it, if any */
export async function registerToken(db: Db, token: Omit<RegisteredToken, 'ended'>, madeBy?: string): Promise<void> {
  await db
    .insertInto('token')
    .values({
      hash: token.hash,
      kind: token.kind,
      organization_id: token.organizationId,
      subject_id: token.subjectId,
      hint: token.hint,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      ended: 0,
      made_by: madeBy ?? null,
    })
    .execute();
}

export async function findTokens(db: Db, hashes: readonly string[]): Promise<RegisteredToken[]> {
  if (hashes.length === 0) return [];
  const rows = await db.selectFrom('token').selectAll().where('hash', 'in', hashes).execute();
  return rows.map(toRegisteredToken);
}

/** The tables of the holders. */
export const holderTables = {
  deployment: 'deployment',
  messaging: 'messaging_key',
  management: 'management_key',
} as const;

/**
 * Tokens for callers that accept one kind, and read its holders themselves. A token of another kind ends here with its
 * holder, or when that is disabled: then it is invalid, no longer only of the wrong kind.
 */
export async function findTokensFor(
  db: Db,
  taken: RegisteredToken['kind'],
  hashes: readonly string[],
): Promise<RegisteredToken[]> {
  const groups = Map.groupBy(await findTokens(db, hashes), ({ kind }) => kind);
  const found: RegisteredToken[] = [];
  // Tokens of another kind are rare, so only they cost a join.
  for (const [kind, group] of groups) found.push(...(kind === taken ? group : await endWithHolders(db, kind, group)));
  return found;
}

/** A token without its holder is invalid. */
async function endWithHolders(
  db: Db,
  kind: RegisteredToken['kind'],
  tokens: readonly RegisteredToken[],
): Promise<RegisteredToken[]> {
  const ids = [...new Set(tokens.map(({ subjectId }) => subjectId))];
  const rows = await db
    .selectFrom(holderTables[kind])
    .select(['id', 'enabled', 'expires_at'])
    .where('id', 'in', ids)
    .execute();
  const holderOf = new Map(rows.map((row) => [row.id, row]));
  return tokens.map((token) => {
    const holder = holderOf.get(token.subjectId);
    return {
      ...token,
      expiresAt: earlier(token.expiresAt, holder?.expires_at ?? null),
      ended: token.ended || holder?.enabled !== 1,
    };
  });
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Newest first. */
export async function listTokens(db: Db, organizationId: string, subjectId: string): Promise<RegisteredToken[]> {
  const rows = await db
    .selectFrom('token')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('subject_id', '=', subjectId)
    .orderBy('created_at', 'desc')
    .orderBy('hash')
    .execute();
  return rows.map(toRegisteredToken);
}

/** Ends every token at `at` at the latest. @param forGood even if a clock is set back. @returns the changed hashes */
export async function expireTokens(
  db: Db,
  organizationId: string,
  subjectId: string,
  at: number,
  forGood: boolean,
): Promise<string[]> {
  const end = sql<number>`case when expires_at < ${at} then expires_at else ${at} end`;
  const changed = await db
    .updateTable('token')
    .set({ expires_at: end, ...(forGood && { ended: 1 }) })
    .where('organization_id', '=', organizationId)
    .where('subject_id', '=', subjectId)
    .where((where) =>
      forGood ? where('ended', '=', 0) : where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]),
    )
    .returning('hash')
    .execute();
  return changed.map(({ hash }) => hash);
}

/** A holder of a token that a management key made. */
export interface MadeHolder {
  readonly kind: (typeof holderTables)[RegisteredToken['kind']];
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
}

/** Holders of valid tokens that the key made, oldest first. `total` counts all. @param most how many to name */
export async function listMadeBy(
  db: Db,
  keyId: string,
  now: number,
  most: number,
): Promise<{ total: number; items: MadeHolder[] }> {
  let total = 0;
  const items: MadeHolder[] = [];
  for (const [kind, holder] of Object.entries(holderTables) as [RegisteredToken['kind'], MadeHolder['kind']][]) {
    const seen = db
      .selectFrom('token')
      .select('subject_id')
      .where('made_by', '=', keyId)
      .where('kind', '=', kind)
      .where('ended', '=', 0)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));
    const made = db
      .selectFrom(holder)
      .where('id', 'in', seen)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));
    const { count } = await made.select((select) => select.fn.countAll().as('count')).executeTakeFirstOrThrow();
    total += Number(count);
    const rows = await made
      .select(['id', 'organization_id', 'name'])
      .orderBy('id')
      .limit(most - items.length)
      .execute();
    items.push(...rows.map((row) => ({ kind: holder, ...row })));
  }
  return { total, items };
}

/** A token's end for decisions by the clock. */
export function endOf({ expiresAt, ended }: Pick<RegisteredToken, 'expiresAt' | 'ended'>): number | null {
  return ended ? 0 : expiresAt;
}

/** @returns the removed hashes */
export async function removeTokens(db: Db, organizationId: string, subjectId: string): Promise<string[]> {
  const removed = await db
    .deleteFrom('token')
    .where('organization_id', '=', organizationId)
    .where('subject_id', '=', subjectId)
    .returning('hash')
    .execute();
  return removed.map(({ hash }) => hash);
}

/** Removes at most `limit` tokens that ended before `before`, the oldest first. @returns whether there may be more */
export async function forgetExpiredTokens(db: Db, before: number, limit: number): Promise<boolean> {
  const ended = db
    .selectFrom('token')
    .select('hash')
    .where('expires_at', '<', before)
    .orderBy('expires_at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('token').where('hash', 'in', ended).executeTakeFirstOrThrow();
  return Number(numDeletedRows) === limit;
}

function toRegisteredToken(row: TokenRow): RegisteredToken {
  return {
    hash: row.hash,
    kind: row.kind,
    organizationId: row.organization_id,
    subjectId: row.subject_id,
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ended: row.ended === 1,
  };
}
