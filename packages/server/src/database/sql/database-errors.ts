import { Unavailable } from '../../runtime/unavailable.ts';

/** The constraint kinds that both databases tell apart. */
export type Violation = 'unique' | 'foreign_key' | 'not_null' | 'check';

/**
 * The database cannot do it now, and the same may succeed later: not reachable, out of room, a time limit, a lost
 * connection. When it comes from a commit, or from a batch, which is sent with its commit, the outcome is unknown: the
 * transaction may have been committed.
 */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
  /** The log shows its stack at `debug` only. */
  readonly isExplained = true;
}

/**
 * The database cannot be written to, and that lasts until somebody acts: no room, a read-only or faulty disk, a node that
 * has become a standby. `node-heartbeat.ts` then notes that this server cannot write.
 */
export class NotWritable extends DatabaseUnavailable {}

/**
 * The database refused a statement. Nothing of a row's values is kept: PostgreSQL puts them into the error's detail,
 * and errors go to logs.
 */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';
  /** SQLSTATE on PostgreSQL, the extended result code on SQLite. */
  readonly code: string;
  readonly violation: Violation | undefined;
  /** The constraint's name (PostgreSQL) or its columns, as `table.column` (SQLite), where the database tells. */
  readonly constraint: string | undefined;

  constructor(
    message: string,
    facts: {
      readonly code: string;
      readonly violation?: Violation | undefined;
      readonly constraint?: string | undefined;
    },
  ) {
    super(message);
    this.code = facts.code;
    this.violation = facts.violation;
    this.constraint = facts.constraint;
  }
}

/** A value that both databases cannot hold alike; thrown before anything is sent. */
export class UnstorableValue extends Error {
  override readonly name = 'UnstorableValue';
}

/** The database can never serve us as it is: too old, wrong encoding, a newer schema. The message says what to do. */
export class UnsuitableDatabase extends Error {
  override readonly name = 'UnsuitableDatabase';
}

export function isUnavailable(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable;
}

/**
 * Awaits work that a loop repeats. If a worker threw while the database is away, the supervisor's pause, up to a minute,
 * would come on top of the outage.
 * @param onUnavailable is called with the error of the outage
 * @returns false when the database is away
 * @throws every other error of the work
 */
export async function unlessUnavailable(
  work: Promise<unknown>,
  onUnavailable: (error: DatabaseUnavailable) => void = () => {},
): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    onUnavailable(error);
    return false;
  }
}

export function isUniqueViolation(error: unknown): error is QueryFailed {
  return error instanceof QueryFailed && error.violation === 'unique';
}

export function isNotNullViolation(error: unknown): error is QueryFailed {
  return error instanceof QueryFailed && error.violation === 'not_null';
}
