import type { CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import type { Tables } from './schema/tables.ts';
import type { JsonField } from './sql/json-field.ts';
import type { KeyedJoin } from './sql/keyed-join.ts';
import type { RowSource } from './sql/row-source.ts';

export {
  DatabaseUnavailable,
  isNotNullViolation,
  isUnavailable,
  isUniqueViolation,
  UnsuitableDatabase,
  unlessUnavailable,
} from './sql/database-errors.ts';

/** A database or a transaction on it: stores take this, first. */
export type Db = Kysely<Tables>;

export type DatabaseKind = 'sqlite' | 'postgres';

/** One portable database. What only one of the two can do stays behind these names. */
export interface Database {
  readonly dialect: DatabaseKind;
  /** For single statements. Inside `transaction` use its argument only: the outer one stands outside. */
  readonly db: Db;

  /**
   * Runs `work` in a transaction, committed durably before this resolves, rolled back when `work` throws. Await nothing
   * in it but the database: on SQLite it holds the only writer. A statement that fails ends the transaction: let its
   * error out.
   * @throws DatabaseUnavailable, also when the outcome of the commit is unknown.
   */
  transaction<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;

  /** A transaction without time limits, on a connection of its own where there are several: for migrations. */
  maintain<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;

  /** Given rows as a table to join with, for set-based statements. */
  readonly rowSource: RowSource;

  /** Finding given rows in a table whose size changes fast. */
  readonly lookUp: KeyedJoin;

  /** A field of a JSON column, for conditions and indexes. */
  readonly jsonField: JsonField;

  /**
   * Runs `queries` in one transaction, then the queries that `next` makes of their results, and resolves with all
   * results after the commit. It takes one round trip, two with `next`, where `transaction` takes one for each
   * statement: waking SQLite's thread is what a small transaction costs most.
   * @param next decides, and awaits nothing: the writer waits for it. When it throws, nothing is written.
   * @throws DatabaseUnavailable when the outcome may be unknown: PostgreSQL has all statements by then and may still
   * commit them; also after a value in the results that cannot be read
   */
  runBatch(
    queries: readonly CompiledQuery[],
    next?: (results: readonly QueryResult<unknown>[]) => readonly CompiledQuery[],
    options?: BatchOptions,
  ): Promise<readonly QueryResult<unknown>[]>;

  /**
   * How many `runBatch` that do not depend on each other are worth having under way at once: on SQLite 2, so that the
   * writer's thread has the next when it has done with one. On PostgreSQL each takes a connection, and waits for the rows
   * that another one holds.
   */
  readonly batchesAtOnce: number;

  /**
   * One select that may take long: no other query waits for it. On SQLite closing the database ends it at once; on
   * PostgreSQL it has one of the connections and their time limit.
   * @throws DatabaseUnavailable, also when the database is closed meanwhile.
   */
  readAside<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;

  /** @throws DatabaseUnavailable when the database does not answer within 5 s. */
  ping(): Promise<void>;

  /**
   * On SQLite: whether the path still names the open file. Rows written to another file are lost to everybody, backups
   * included. On PostgreSQL always true.
   */
  isInPlace(): Promise<boolean>;

  /** Waits for running transactions, then frees threads, files and connections. */
  close(): Promise<void>;
}

/** A database as the process that opened it has it. */
export interface OpenedDatabase extends Database {
  /**
   * For the question whether anything has changed, which every request may have to wait for. On PostgreSQL it has a connection of
   * its own and a time limit of two seconds: it waits behind no other, and a connection that has fallen silent gives way to another.
   */
  readonly prompt: Db;
}

export interface BatchOptions {
  /**
   * After so long nobody waits for an answer any more: on PostgreSQL the connection is given up, since it may have fallen
   * silent, and the next batch gets another.
   */
  readonly answerMs?: number | undefined;
  /**
   * The caller of an API waits for it. On SQLite it goes before batches and transactions that nobody waits for, which have
   * every second turn. PostgreSQL has writers enough.
   */
  readonly isUrgent?: boolean;
}

export interface DatabaseHooks {
  /** Hears of what no caller is told: an idle connection lost, a thread that died. */
  readonly log?: (message: string, error: Error) => void;
  /** The files of another database were in the way of this one, and have these names now. */
  readonly onMovedAside?: (files: readonly string[]) => void;
}
