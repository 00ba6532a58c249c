import { type RawBuilder, sql } from 'kysely';
import { UnstorableValue } from './database-errors.ts';
import { toJsonRecords } from './json-records.ts';
import { type StoredValue, toStoredRows } from './stored-value.ts';

/** What a column of given rows holds. */
export type SourceType = 'text' | 'bigint';

/**
 * Given rows as a table to select from and join with, under `alias`: one parameter and one statement's text however
 * many rows there are, so that set-based SQL stays prepared. `rows[n]` follows the order of `columns`.
 * @throws UnstorableValue, before anything is sent, for what one of the databases cannot hold: U+0000, bytes. A group
 *   that is then taken apart loses this one row alone.
 */
export type RowSource = (
  alias: string,
  columns: Readonly<Record<string, SourceType>>,
  rows: readonly (readonly unknown[])[],
) => RawBuilder<unknown>;

/**
 * The same for rows that the caller has as text already: a JSON array of arrays, whose values are of the columns' types and
 * hold no U+0000 (`toStoredValue`). A column `ordinal` counts the rows from 0.
 */
export type TextSource = (
  alias: string,
  columns: Readonly<Record<string, SourceType>>,
  text: string,
) => RawBuilder<unknown>;

/**
 * What tells the rows of a JSON array apart. The later one leaves each row in the form that was parsed, from which its
 * columns are then taken (fourteen of them: 1.6 µs of CPU instead of 4.2 µs).
 * https://www.sqlite.org/json1.html#jeach
 * @param version of SQLite
 */
export function eachRow(version: string): 'json_each' | 'jsonb_each' {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 51) ? 'jsonb_each' : 'json_each';
}

const ofEachRow = sql.raw(eachRow(process.versions.sqlite ?? '3'));

export const sqliteRowSource: RowSource = (alias, columns, rows) => {
  const names = Object.keys(columns);
  const given = JSON.stringify(toSourceRows(names, rows));
  return sql`(select ${sqliteValues(names)} from ${ofEachRow}(${given})) as ${sql.ref(alias)}`;
};

export const sqliteTextSource: TextSource = (alias, columns, text) =>
  sql`(select key as ordinal, ${sqliteValues(Object.keys(columns))} from ${ofEachRow}(${text})) as ${sql.ref(alias)}`;

function sqliteValues(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`));
}

/** https://www.postgresql.org/docs/15/functions-json.html */
export const postgresRowSource: RowSource = (alias, columns, rows) => {
  const names = Object.keys(columns);
  const types = sql.join(Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
  const given = toJsonRecords(names, toSourceRows(names, rows));
  return sql`json_to_recordset(${given}::json) as ${sql.ref(alias)} (${types})`;
};

/** https://www.postgresql.org/docs/15/queries-table-expressions.html#QUERIES-TABLEFUNCTIONS */
export const postgresTextSource: TextSource = (alias, columns, text) => {
  const values = Object.entries(columns).map(
    ([name, type], index) => sql`(value ->> ${sql.lit(index)})::${sql.raw(type)} as ${sql.ref(name)}`,
  );
  return sql`(select ordinality - 1 as ordinal, ${sql.join(values)}
    from json_array_elements(${text}::json) with ordinality) as ${sql.ref(alias)}`;
};

/** JSON knows no bytes, and the two databases would make different things of them. */
function toSourceRows(names: readonly string[], rows: readonly (readonly unknown[])[]): StoredValue[][] {
  const stored = toStoredRows(names, rows);
  for (const [at, row] of stored.entries()) {
    const bytes = row.findIndex((value) => value instanceof Uint8Array);
    if (bytes !== -1) throw new UnstorableValue(`row ${at}, column ${names[bytes]} is bytes; give text or a number`);
  }
  return stored;
}
