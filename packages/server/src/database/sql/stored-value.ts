import { UnstorableValue } from './database-errors.ts';

/** What both databases hold alike. Flags are 0 or 1, instants epoch milliseconds, lists JSON text. */
export type StoredValue = string | number | Uint8Array | null;

/**
 * The value as it may be sent. Lone surrogates become U+FFFD, which either database would have made of them.
 * @param name how an error calls the value; only called when there is one.
 * @throws UnstorableValue for what one of the databases refuses, changes silently, or gives back as something else:
 *   undefined, booleans, dates, bigints, objects, unsafe integers, NaN, infinities, text with U+0000.
 */
export function toStoredValue(value: unknown, name: () => string): StoredValue {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new UnstorableValue(`${name()} holds U+0000, which a database text cannot`);
    return value.isWellFormed() ? value : value.toWellFormed();
  }
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return value;
    throw new UnstorableValue(`${name()} is a number that cannot be stored exactly`);
  }
  if (value === null) return null;
  if (value instanceof Uint8Array) return value;
  throw new UnstorableValue(`${name()} is ${described(value)}; use text, a number, bytes or null`);
}

export function toStoredValues(values: readonly unknown[]): StoredValue[] {
  return values.map((value, index) => toStoredValue(value, () => `parameter ${index + 1}`));
}

/** Rows of one width, checked; an error names row and column. A row that may be sent as it is, is given back. */
export function toStoredRows(columns: readonly string[], rows: readonly (readonly unknown[])[]): StoredValue[][] {
  return rows.map((row, at) => {
    if (row.length !== columns.length) {
      throw new UnstorableValue(`row ${at} has ${row.length} values for ${columns.length} columns`);
    }
    if (row.every(isStored)) return row as StoredValue[];
    return row.map((value, index) => toStoredValue(value, () => `row ${at}, column ${columns[index]}`));
  });
}

/** Nothing is lost when this says no of what `toStoredValue` would leave as it is. */
function isStored(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return value === null || Number.isSafeInteger(value);
}

function described(value: unknown): string {
  if (value === undefined) return 'undefined';
  return typeof value === 'object' ? (value?.constructor?.name ?? 'an object') : `a ${typeof value}`;
}
