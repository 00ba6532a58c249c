import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/**
 * When each budget will be empty; 0 for those that had no record yet. The records belong to the transaction until it ends,
 * so that guesses at the same time are counted one after the other. In one statement: on SQLite hand-outs of keys wait while
 * the transaction goes from one to the next.
 */
export async function lockGuesses(trx: Db, subjects: readonly string[]): Promise<ReadonlyMap<string, number>> {
  // In one order everywhere, so that two transactions never wait for each other.
  const rows = await trx
    .insertInto('guess')
    .values(subjects.toSorted().map((subject) => ({ subject, empty_at: 0 })))
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((row) => ({ empty_at: row.ref('guess.empty_at') })),
    )
    .returningAll()
    .execute();
  return new Map(rows.map((row) => [row.subject, row.empty_at]));
}

export async function recordGuesses(trx: Db, emptyAt: ReadonlyMap<string, number>): Promise<void> {
  await trx
    .insertInto('guess')
    .values([...emptyAt].map(([subject, empty_at]) => ({ subject, empty_at })))
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((row) => ({ empty_at: row.ref('excluded.empty_at') })),
    )
    .execute();
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
