import type { Db } from '../database/database.ts';
import { findFact, insertFact, replaceFact } from './instance-store.ts';

const factName = 'last-backup';

/** Notes that a backup was made. @param at epoch milliseconds */
export async function noteBackup(db: Db, at: number): Promise<void> {
  const value = Buffer.from(String(at));
  await insertFact(db, factName, value);
  await replaceFact(db, factName, value);
}

/** When the last backup was made, if any, and since when there is a database to copy. */
export async function readLastBackup(db: Db): Promise<{ readonly lastAt: number | null; readonly beganAt: number }> {
  const fact = await findFact(db, factName);
  const { first } = await db
    .selectFrom('schema_migration')
    .select((select) => select.fn.min('applied_at').as('first'))
    .executeTakeFirstOrThrow();
  return { lastAt: fact === undefined ? null : Number(Buffer.from(fact).toString()), beganAt: Number(first) };
}
