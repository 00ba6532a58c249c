import type { StoredValue } from './stored-value.ts';

/** Rows as one JSON text of records, which PostgreSQL reads with one parameter however many rows there are. */
export function toJsonRecords(columns: readonly string[], rows: readonly (readonly StoredValue[])[]): string {
  return JSON.stringify(rows.map((row) => toRecord(columns, row)));
}

function toRecord(columns: readonly string[], row: readonly StoredValue[]): Record<string, string | number | null> {
  // A loop: Object.fromEntries made a whole insert twice as expensive.
  const record: Record<string, string | number | null> = {};
  for (let index = 0; index < columns.length; index += 1) {
    record[columns[index] as string] = toJson(row[index] ?? null);
  }
  return record;
}

/** The text form of bytea, https://www.postgresql.org/docs/15/datatype-binary.html */
function toJson(value: StoredValue): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
}
