import type { DatabaseHooks, OpenedDatabase } from './database.ts';
import { openSqlite } from './sqlite/sqlite.ts';

export type DatabaseOptions =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolSize?: number };

/**
 * Opens a database without touching its schema.
 * @throws DatabaseUnavailable when it cannot be reached; UnsuitableDatabase when it can never serve us.
 */
export async function openDatabase(options: DatabaseOptions, hooks: DatabaseHooks = {}): Promise<OpenedDatabase> {
  if (options.kind === 'sqlite') return openSqlite(options, hooks);
  // Its driver is not loaded beside SQLite.
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres(options, hooks);
}
