import { type RawBuilder, sql } from 'kysely';

/** A field of the object that a text column holds as JSON, as text; null where it has none. */
export type JsonField = (column: string, field: string) => RawBuilder<string | null>;

/** https://www.sqlite.org/json1.html#the_and_operators */
export const sqliteJsonField: JsonField = (column, field) => sql`(${sql.ref(column)} ->> ${sql.lit(field)})`;

/** https://www.postgresql.org/docs/15/functions-json.html */
export const postgresJsonField: JsonField = (column, field) =>
  sql`(cast(${sql.ref(column)} as json) ->> ${sql.lit(field)})`;
