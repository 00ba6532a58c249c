import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from './database.ts';
import type { Tables } from './schema/tables.ts';
import type { SourceType } from './sql/row-source.ts';

const rowsPerStatement = 10_000;

/** Inserts whole rows, bytes as well, by the thousand. All rows have the columns of the first one. */
export async function insertValues<Table extends keyof Tables & string>(
  database: Database,
  db: Db,
  table: Table,
  rows: readonly Tables[Table][],
): Promise<void> {
  const sampleOf = (column: keyof Tables[Table]) => rows.find((row) => row[column] !== null)?.[column];
  // A column of which nothing is known is null by itself.
  const columns = (Object.keys(rows[0] ?? {}) as (keyof Tables[Table] & string)[]).filter(
    (column) => sampleOf(column) !== undefined,
  );
  const samples = columns.map(sampleOf);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = columns.map((column, index) => expressionOf(database, column, samples[index]));
  const types = columns.map((column, index) => [column, typeof samples[index] === 'number' ? 'bigint' : 'text']);
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const given = database.rowSource(
      'given',
      Object.fromEntries(types) as Record<string, SourceType>,
      rows.slice(start, start + rowsPerStatement).map((row) => columns.map((column) => toText(row[column]))),
    );
    await sql`insert into ${sql.table(table)} (${names}) select ${sql.join(values)} from ${given}`.execute(db);
  }
}

/** Bytes come as hexadecimal digits. */
function expressionOf({ dialect }: Database, column: string, sample: unknown): RawBuilder<unknown> {
  if (!(sample instanceof Uint8Array)) return sql.ref(`given.${column}`);
  return dialect === 'sqlite' ? sql`unhex(${sql.ref(column)})` : sql`decode(${sql.ref(column)}, 'hex')`;
}

function toText(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
