import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connect.ts';

/** Ends a select whose rows of `table` belong to the transaction until it ends. SQLite has one writer: there they do anyway. */
export function lockingRows({ dialect }: Pick<Database, 'dialect'>, table: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`` : sql`for update of ${sql.table(table)}`;
}

/** The same for the rows of `table` that no other transaction holds; the others are left out. */
export function lockingFreeRows({ dialect }: Pick<Database, 'dialect'>, table: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`` : sql`for update of ${sql.table(table)} skip locked`;
}
