import { sql } from 'kysely';
import type { Database } from './connect.ts';

export interface DatabaseCheck {
  /** What serves us: `SQLite 3.53.0`, `PostgreSQL 17.2, UTF8`. */
  readonly server: string;
  /** What is wrong with the stored bytes; empty when nothing was found. */
  readonly faults: readonly string[];
}

const faultsShown = 20;

/**
 * Asks the database whether it is sound. SQLite reads the whole file (`pragma quick_check`: pages, records and their
 * order, without comparing indexes to rows). PostgreSQL has no such question; that it answers with the encoding we need
 * is what can be known.
 */
export async function checkDatabase(database: Database): Promise<DatabaseCheck> {
  return database.dialect === 'sqlite' ? checkSqlite(database) : checkPostgres(database);
}

async function checkSqlite({ db }: Database): Promise<DatabaseCheck> {
  const version = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  // As a select, so that it runs on the thread that reads: the writer goes on meanwhile.
  const check = await sql<{ fault: string }>`
    select quick_check as fault from pragma_quick_check limit ${faultsShown}`.execute(db);
  const faults = check.rows.map(({ fault }) => fault).filter((fault) => fault !== 'ok');
  return { server: `SQLite ${version.rows[0]?.version ?? ''}`, faults };
}

async function checkPostgres({ db }: Database): Promise<DatabaseCheck> {
  const { rows } = await sql<{ version: string; encoding: string }>`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding`.execute(db);
  const [server] = rows;
  const faults = server?.encoding === 'UTF8' ? [] : [`its encoding is ${server?.encoding}, not UTF8`];
  return { server: `PostgreSQL ${server?.version ?? ''}, ${server?.encoding ?? ''}`, faults };
}
