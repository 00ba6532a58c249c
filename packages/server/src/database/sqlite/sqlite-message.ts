import type { StoredValue } from '../sql/stored-value.ts';

/**
 * Messages between the main thread and a SQLite thread. They are tuples instead of objects: keys are copied with every
 * message, and the main thread's share of a message limits a busy server.
 */
export type Request = readonly [id: number, step: Step, statements: readonly Statement[]];

/**
 * alone: one statement, its own transaction · begin: open a transaction, then run · within: run inside it ·
 * finish: run inside it, then commit · commit, rollback: end it · whole: begin, run all, commit, or leave no trace · forget: drop prepared statements ·
 * close: end the thread.
 */
export type Step = 'alone' | 'begin' | 'within' | 'finish' | 'commit' | 'rollback' | 'whole' | 'forget' | 'close';

export type Statement = readonly [sql: string, parameters: readonly StoredValue[]];

export type Reply =
  | readonly [id: number, results: readonly StatementResult[], failure: undefined]
  | readonly [id: number, results: undefined, failure: SqliteFailure];

export type StatementResult = readonly [
  changes: number,
  columns: readonly string[],
  rows: readonly (readonly StoredValue[])[],
];

export interface SqliteFailure {
  readonly message: string;
  /** SQLite's extended result code; undefined for an error that is not SQLite's own. */
  readonly resultCode: number | undefined;
  /** Where the fault lies with the file or its disk: which file, why, and what to do. */
  readonly storage: string | undefined;
}

export interface SqliteThreadOptions {
  readonly file: string;
  /** A checkpointer moves what was committed from the WAL into the file: sqlite-checkpointer.ts. */
  readonly role: 'writer' | 'reader' | 'checkpointer';
}

/** What the process is told. */
export interface AsideRequest {
  readonly file: string;
  readonly statement: Statement;
}
