import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface DatabaseCheck {
  /** What serves us: `SQLite 3.53.0`, `PostgreSQL 17.2, UTF8`. */
  readonly server: string;
  /** What is wrong with the stored bytes; empty when nothing was found. */
  readonly faults: readonly string[];
}

const faultsShown = 20;

/**
 * Asks the database whether it is sound, beside all that goes on. SQLite reads the whole file (`pragma quick_check`:
 * pages, records and their order, without comparing indexes to rows). PostgreSQL has no such question; that it answers
 * with the encoding we need is what can be known.
 */
export async function checkDatabase(database: Database): Promise<DatabaseCheck> {
  return database.dialect === 'sqlite' ? checkSqlite(database) : checkPostgres(database);
}

async function checkSqlite(database: Database): Promise<DatabaseCheck> {
  const check = sql<{ version: string; fault: string }>`
    select sqlite_version() as version, quick_check as fault from pragma_quick_check limit ${faultsShown}`;
  const { rows } = await database.readAside(check.compile(database.db));
  const faults = rows.map(({ fault }) => fault).filter((fault) => fault !== 'ok');
  return { server: `SQLite ${rows[0]?.version ?? ''}`, faults };
}

async function checkPostgres(database: Database): Promise<DatabaseCheck> {
  const look = sql<{ version: string; encoding: string }>`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding`;
  const { rows } = await database.readAside(look.compile(database.db));
  const [server] = rows;
  const faults = server?.encoding === 'UTF8' ? [] : [`its encoding is ${server?.encoding}, not UTF8`];
  return { server: `PostgreSQL ${server?.version ?? ''}, ${server?.encoding ?? ''}`, faults };
}
