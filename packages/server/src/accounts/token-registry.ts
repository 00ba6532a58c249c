import type { TokenRow } from '../database/account-tables.ts';
import type { Db } from '../database/connect.ts';

/** A token as the database knows it: by its hash, never its text. */
export interface RegisteredToken {
  /** SHA-256 of the token's text, hexadecimal. */
  readonly hash: string;
  readonly kind: TokenRow['kind'];
  readonly organizationId: string;
  readonly subjectId: string;
  /** A few characters that help people to tell tokens apart. */
  readonly hint: string;
  readonly createdAt: number;
  /** Epoch milliseconds; null: does not expire by itself. */
  readonly expiresAt: number | null;
}

export async function registerToken(db: Db, token: RegisteredToken): Promise<void> {
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
    })
    .execute();
}

export async function findTokens(db: Db, hashes: readonly string[]): Promise<RegisteredToken[]> {
  if (hashes.length === 0) return [];
  const rows = await db.selectFrom('token').selectAll().where('hash', 'in', hashes).execute();
  return rows.map(toRegisteredToken);
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

/** Lets every token of the subject end no later than `at`. @returns the hashes of those that end sooner now */
export async function expireTokens(db: Db, organizationId: string, subjectId: string, at: number): Promise<string[]> {
  const ending = await db
    .updateTable('token')
    .set({ expires_at: at })
    .where('organization_id', '=', organizationId)
    .where('subject_id', '=', subjectId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .returning('hash')
    .execute();
  return ending.map(({ hash }) => hash);
}

/**
 * When a token ends, for whoever decides by a clock. What had ended when its holder was last changed, by a rotation without
 * overlap for one, has ended: a clock that was set back, or another server's that is behind, does not bring it back.
 * @param changedAt of its holder, epoch milliseconds
 */
export function endOf({ expiresAt }: Pick<RegisteredToken, 'expiresAt'>, changedAt: number): number | null {
  return expiresAt !== null && expiresAt <= changedAt ? 0 : expiresAt;
}

export async function removeTokens(db: Db, organizationId: string, subjectId: string): Promise<void> {
  await db
    .deleteFrom('token')
    .where('organization_id', '=', organizationId)
    .where('subject_id', '=', subjectId)
    .execute();
}

/**
 * Removes at most `limit` tokens that ended before `before`, longest ended first; their deployments do not miss them.
 * @returns whether there may be more
 */
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
  };
}
