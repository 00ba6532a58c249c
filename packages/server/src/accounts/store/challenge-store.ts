import type { Db } from '../../database/database.ts';
import type { ChallengeRow } from '../../database/schema/account-tables.ts';

export async function insertChallenge(db: Db, row: ChallengeRow): Promise<void> {
  await db.insertInto('challenge').values(row).execute();
}

/** Undefined when it is unknown, was answered, or is too old. */
export async function findChallenge(
  db: Db,
  kind: ChallengeRow['kind'],
  hash: string,
  now: number,
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('challenge')
    .selectAll()
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Takes it away in the same statement: of two answers at the same time one finds it. */
export async function takeChallenge(
  db: Db,
  kind: ChallengeRow['kind'],
  hash: string,
  now: number,
): Promise<ChallengeRow | undefined> {
  return db
    .deleteFrom('challenge')
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteChallengesOf(trx: Db, accountId: string): Promise<void> {
  await trx.deleteFrom('challenge').where('account_id', '=', accountId).execute();
}

export async function forgetChallenges(db: Db, expiredBefore: number): Promise<void> {
  await db.deleteFrom('challenge').where('expires_at', '<', expiredBefore).execute();
}
