import { sql } from 'kysely';
import type { Database, Db } from '../database/connect.ts';
import { lockingRows } from '../database/row-lock.ts';

/**
 * When each budget will be empty; 0 for those that have no record yet. The records belong to the transaction until it ends,
 * so that guesses at the same time are counted one after the other.
 */
export async function lockGuesses(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  // In one order everywhere, so that two transactions never wait for each other.
  const sorted = subjects.toSorted();
  await trx
    .insertInto('guess')
    .values(sorted.map((subject) => ({ subject, empty_at: 0 })))
    .onConflict((conflict) => conflict.column('subject').doNothing())
    .execute();
  const rows = await trx
    .selectFrom('guess')
    .selectAll()
    .where('subject', 'in', sorted)
    .orderBy('subject')
    .modifyEnd(lockingRows(database, 'guess'))
    .execute();
  return new Map(rows.map((row) => [row.subject, row.empty_at]));
}

export async function recordGuesses(trx: Db, emptyAt: ReadonlyMap<string, number>): Promise<void> {
  for (const [subject, at] of emptyAt) {
    await trx.updateTable('guess').set({ empty_at: at }).where('subject', '=', subject).execute();
  }
}

/** Takes one guess back. */
export async function takeBackGuess(db: Db, subject: string, leakMs: number): Promise<void> {
  await db
    .updateTable('guess')
    .set({ empty_at: sql<number>`empty_at - ${leakMs}` })
    .where('subject', '=', subject)
    .execute();
}

export async function forgetGuesses(db: Db, emptyBefore: number): Promise<void> {
  await db.deleteFrom('guess').where('empty_at', '<', emptyBefore).execute();
}
