import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  RawNode,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { QueryFailed } from '../sql/database-errors.ts';
import { type StoredValue, toStoredValues } from '../sql/stored-value.ts';
import type { FairLock, Release } from './fair-lock.ts';
import type { Statement, StatementResult } from './sqlite-message.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** The two threads of a database, and the lock that gives the writer to one transaction at a time. */
export interface SqliteThreads {
  readonly writer: SqliteThread;
  readonly reader: SqliteThread;
  readonly writing: FairLock;
}

/** Routes what Kysely asks: selects outside a transaction to the reader, everything else to the writer. */
export function createSqliteDialect(threads: SqliteThreads): Dialect {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => createDriver(threads),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Without this Kysely would let one query run at a time, reads behind transactions. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function createDriver(threads: SqliteThreads): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => new SqliteConnection(threads),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: (connection) => own(connection).commit(),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: (connection) => own(connection).release(),
    destroy: async () => {},
  };
}

function own(connection: DatabaseConnection): SqliteConnection {
  if (connection instanceof SqliteConnection) return connection;
  throw new TypeError('not a connection of this database');
}

/**
 * One use of the database by Kysely. States of its transaction: none → begun (the lock is held, nothing sent: BEGIN
 * travels with the first statement) → open → none. A statement that fails makes it failed: as on PostgreSQL, nothing
 * more runs in it and it cannot be committed.
 */
class SqliteConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  #state: 'none' | 'begun' | 'open' | 'failed' = 'none';
  #releaseLock: Release | undefined;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = toStatement(query);
    const result = this.#state === 'none' ? await this.#runAlone(query, statement) : await this.#runWithin(statement);
    return toQueryResult<R>(result);
  }

  // biome-ignore lint/correctness/useYield: refuses before it could yield; PostgreSQL has no streaming here either.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('streaming is not portable: read in pages instead');
  }

  async begin(): Promise<void> {
    this.#releaseLock = await this.#threads.writing.acquire();
    this.#state = 'begun';
  }

  async commit(): Promise<void> {
    if (this.#state === 'failed') throw failedTransaction();
    if (this.#state === 'open') await this.#threads.writer.send('commit', []);
    this.#state = 'none';
  }

  async rollback(): Promise<void> {
    if (this.#state === 'open' || this.#state === 'failed') await this.#threads.writer.send('rollback', []);
    this.#state = 'none';
  }

  /** Kysely calls it last whatever happened, so the lock is never held longer than the transaction. */
  async release(): Promise<void> {
    try {
      await this.rollback();
    } finally {
      this.#releaseLock?.();
    }
  }

  async #runAlone(query: CompiledQuery, statement: Statement): Promise<StatementResult> {
    if (isReadOnly(query)) return first(await this.#threads.reader.send('alone', [statement]));
    const release = await this.#threads.writing.acquire();
    try {
      return first(await this.#threads.writer.send('alone', [statement]));
    } finally {
      release();
    }
  }

  async #runWithin(statement: Statement): Promise<StatementResult> {
    if (this.#state === 'failed') throw failedTransaction();
    const step = this.#state === 'begun' ? 'begin' : 'within';
    this.#state = 'open';
    try {
      return first(await this.#threads.writer.send(step, [statement]));
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }
}

/** The reader's connection is read-only: a statement wrongly taken for a select fails there, it does no harm. */
function isReadOnly({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql));
}

export function toStatement(query: CompiledQuery): Statement {
  return [query.sql, toStoredValues(query.parameters).map(compact)];
}

/** A view would take the whole buffer behind it along: Node's small buffers share one of 8 KiB and more. */
function compact(value: StoredValue): StoredValue {
  if (value instanceof Uint8Array && value.byteLength < value.buffer.byteLength) return new Uint8Array(value);
  return value;
}

export function toQueryResult<R>([changes, columns, rows]: StatementResult): QueryResult<R> {
  return { numAffectedRows: BigInt(changes), rows: rows.map((row) => toRecord(columns, row) as R) };
}

function toRecord(columns: readonly string[], row: readonly StoredValue[]): Record<string, StoredValue> {
  const record: Record<string, StoredValue> = {};
  for (let index = 0; index < columns.length; index += 1) {
    record[columns[index] as string] = toBuffer(row[index] as StoredValue);
  }
  return record;
}

/** Bytes come back as Buffer, as they do from PostgreSQL. */
function toBuffer(value: StoredValue): StoredValue {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function first(results: readonly StatementResult[]): StatementResult {
  const [result] = results;
  if (result === undefined) throw new Error('a statement was answered without a result');
  return result;
}

function failedTransaction(): QueryFailed {
  return new QueryFailed('the transaction has failed: nothing more runs in it, and it cannot be committed', {
    code: 'failed_transaction',
  });
}
