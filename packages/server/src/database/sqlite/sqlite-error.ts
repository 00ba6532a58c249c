import { DatabaseUnavailable, NotWritable, QueryFailed, type Violation } from '../sql/database-errors.ts';
import type { SqliteFailure } from './sqlite-message.ts';

// Extended result codes, https://www.sqlite.org/rescode.html
const violations: ReadonlyMap<number, Violation> = new Map([
  [2067, 'unique'],
  [1555, 'unique'], // primary key
  [2579, 'unique'], // rowid
  [787, 'foreign_key'],
  [1299, 'not_null'],
  [275, 'check'],
]);

/** Primary codes that blame the moment, not the statement: BUSY, LOCKED, NOMEM. */
const unavailable: ReadonlySet<number> = new Set([5, 6, 7]);

/** SQLite's own words name tables and columns, never values. */
export function toQueryError({ message, resultCode, storage }: SqliteFailure): DatabaseUnavailable | QueryFailed {
  if (storage !== undefined) return new NotWritable(storage);
  if (resultCode === undefined) return new QueryFailed(message, { code: 'none' });
  if (unavailable.has(resultCode & 0xff)) return new DatabaseUnavailable(`SQLite: ${message} (${resultCode})`);
  return new QueryFailed(`SQLite: ${message} (${resultCode})`, {
    code: String(resultCode),
    violation: violations.get(resultCode),
    constraint: /constraint failed: (.+)$/.exec(message)?.[1],
  });
}
