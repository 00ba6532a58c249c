import { CompiledQuery } from 'kysely';
import { toJsonRecords } from './json-records.ts';
import { type StoredValue, toStoredRows } from './stored-value.ts';

/** A query that runs once for each row, all or none; only the SQLite connection knows it. */
export interface EachRowQuery extends CompiledQuery {
  readonly rows: readonly (readonly StoredValue[])[];
}

export function isEachRowQuery(query: CompiledQuery): query is EachRowQuery {
  return 'rows' in query;
}

/** On SQLite a prepared insert is looped in the writer thread: one message whatever the number of rows. */
export function sqliteBulkInsert(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): EachRowQuery {
  const placeholders = columns.map(() => '?').join(', ');
  const text = `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) values (${placeholders})`;
  return { ...CompiledQuery.raw(text), rows: toStoredRows(columns, rows) };
}

/**
 * On PostgreSQL all rows travel as one JSON parameter, and the table itself says what types its columns have.
 * Measured for a transaction of 64 rows of 8 columns, on the main thread: 0.38 ms; 0.58 ms with 512 parameters.
 */
export function postgresBulkInsert(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): CompiledQuery {
  const names = columns.map(quoted).join(', ');
  const source = `json_populate_recordset(null::${quoted(table)}, $1::json)`;
  const text = `insert into ${quoted(table)} (${names}) select ${names} from ${source}`;
  return CompiledQuery.raw(text, [toJsonRecords(columns, toStoredRows(columns, rows))]);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
