import { DatabaseError } from 'pg';
import { DatabaseUnavailable, NotWritable, QueryFailed, type Violation } from '../sql/database-errors.ts';

// SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
const violations: ReadonlyMap<string, Violation> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign_key'],
  ['23502', 'not_null'],
  ['23514', 'check'],
]);

/**
 * What blames the moment, not the statement: connection (08), authorization (28: a password just changed), resources
 * (53), operator intervention (57: shutdown, statement_timeout), system (58), rollback (40: deadlock), lock_timeout
 * (55P03), idle_in_transaction_session_timeout (25P03), a node that has become a standby (25006).
 */
const unavailable = /^(08|28|40|53|57|58|XX)|^(55P03|25P03|25006)$/;

/** A full disk, an error of the disk, a standby. */
const notWritable: ReadonlySet<string> = new Set(['53100', '58030', '25006']);

/** Data exceptions quote the value itself in their message. */
const quotesValue = /^22/;

/** What anything thrown by pg means to callers; PostgreSQL's detail, which holds values of the row, is left behind. */
export function toPostgresError(error: unknown): DatabaseUnavailable | QueryFailed {
  if (!(error instanceof DatabaseError)) return new DatabaseUnavailable(`PostgreSQL: ${described(error)}`);
  const code = error.code ?? 'none';
  if (notWritable.has(code)) return new NotWritable(`PostgreSQL: ${error.message} (${code})`);
  if (unavailable.test(code)) return new DatabaseUnavailable(`PostgreSQL: ${error.message} (${code})`);
  const message = quotesValue.test(code) ? 'a value does not fit its column or function' : error.message;
  return new QueryFailed(`PostgreSQL: ${message} (${code})`, {
    code,
    violation: violations.get(code),
    constraint: error.constraint ?? error.column,
  });
}

/** Node reports a host with several addresses as an AggregateError without a message. */
function described(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(described).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message;
}
