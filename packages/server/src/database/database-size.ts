import { sql } from 'kysely';
import type { Database } from './database.ts';

/** How many bytes the database takes, without what waits beside it (SQLite's log, PostgreSQL's). */
export async function databaseBytes(database: Database): Promise<number> {
  const size =
    database.dialect === 'sqlite'
      ? sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count, pragma_page_size`
      : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  const { rows } = await size.execute(database.db);
  return rows[0]?.bytes ?? 0;
}
