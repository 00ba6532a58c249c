import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** How many rows there are, counted up to a bound: a backlog of millions is not counted to show that it is one. */
export async function countUpTo(db: Kysely<Tables>, bound: number, rows: RawBuilder<unknown>): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*) as count from (select 1 from ${rows} limit ${sql.lit(bound)}) as counted`.execute(db);
  return counted.rows[0]?.count ?? 0;
}
