import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Ends a select whose rows of `table` belong to the transaction until it ends. SQLite has one writer: there they do anyway. */
export function lockingRows({ dialect }: Pick<Database, 'dialect'>, table: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`` : sql`for update of ${sql.table(table)}`;
}
