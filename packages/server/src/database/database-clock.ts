import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** The database's own clock, epoch milliseconds: the one that all servers on it agree on. */
export async function databaseNow(database: Database): Promise<number> {
  const now =
    database.dialect === 'postgres'
      ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
      : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
  const row = await database.db.selectNoFrom(now.as('now')).executeTakeFirstOrThrow();
  return row.now;
}
