import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from './database.ts';

/** The database's own clock, epoch milliseconds: the one that all servers on it agree on. */
export async function databaseNow(database: Database): Promise<number> {
  const row = await database.db.selectNoFrom(nowSql(database.dialect).as('now')).executeTakeFirstOrThrow();
  return row.now;
}

/** The same as a value inside a statement. */
export function nowSql(dialect: DatabaseKind): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
}
