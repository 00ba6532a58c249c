import { stat } from 'node:fs/promises';
import { type CompiledQuery, Kysely, type QueryResult, type Transaction } from 'kysely';
import { systemClock } from '../../runtime/clock.ts';
import { TooSlow, within } from '../../runtime/wait.ts';
import type { Database, DatabaseHooks, OpenedDatabase } from '../database.ts';
import type { Tables } from '../schema/tables.ts';
import { DatabaseUnavailable } from '../sql/database-errors.ts';
import { sqliteJsonField } from '../sql/json-field.ts';
import { sqliteKeyedJoin } from '../sql/keyed-join.ts';
import { sqliteRowSource } from '../sql/row-source.ts';
import { rememberFile } from './database-file.ts';
import { createFairLock } from './fair-lock.ts';
import { moveOrphansAside } from './orphaned-log.ts';
import { createSqliteAside } from './sqlite-aside.ts';
import { createSqliteCheckpointer, type SqliteCheckpointer } from './sqlite-checkpointer.ts';
import { toFailure } from './sqlite-connection.ts';
import { createSqliteDialect, type SqliteThreads, toQueryResult, toStatement } from './sqlite-dialect.ts';
import { toQueryError } from './sqlite-error.ts';
import type { Step } from './sqlite-message.ts';
import { shareReaders } from './sqlite-readers.ts';
import { type SqliteThread, startSqliteThread } from './sqlite-thread.ts';

/** Longer than any transaction of ours, shorter than a client's patience. */
const maxWaitMs = 15_000;
const maxWaiting = 10_000;
const pingMs = 5_000;
/**
 * Where the operating system has not kept a page of the file, its reader waits for the disk, behind whatever is being
 * written. With one reader every request would wait for each such page.
 */
const mostReaders = 4;

/** Opens or creates the file, with one thread that writes, and those that read. */
export async function openSqlite(options: { readonly file: string }, hooks: DatabaseHooks): Promise<OpenedDatabase> {
  moveAside(options.file, hooks);
  const { checkpointer, isInPlace, ...threads } = await startThreads(options.file, hooks);
  const aside = createSqliteAside(options.file);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(threads) });
  const runWhole = createWholeRunner(threads);

  function transaction<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return db.transaction().execute(work);
  }

  return {
    dialect: 'sqlite',
    db,
    prompt: db,
    transaction,
    async maintain(work) {
      const result = await transaction(work);
      // A prepared statement keeps the column names of the schema it was prepared with.
      await Promise.all([threads.writer.send('forget', []), threads.reader.send('forget', [])]);
      return result;
    },
    rowSource: sqliteRowSource,
    lookUp: sqliteKeyedJoin,
    jsonField: sqliteJsonField,
    batchesAtOnce: 2,
    runBatch: (queries, next, { isUrgent } = {}) =>
      next === undefined ? runWhole(queries, isUrgent) : runInTwo(threads, queries, next, isUrgent),
    async readAside<Row>(query: CompiledQuery<Row>) {
      return toQueryResult<Row>(await aside.run(toStatement(query)));
    },
    // Past the lock: a select disturbs no transaction that is open on the writer.
    ping: () => ping(threads),
    isInPlace,
    async close() {
      await Promise.all([aside.close(), checkpointer.close()]);
      const release = await threads.writing.acquire().catch(() => undefined);
      // The last one to close empties the WAL into the database file, which a reader may not.
      await threads.reader.close();
      await threads.writer.close();
      release?.();
    },
  };
}

function moveAside(file: string, hooks: DatabaseHooks): void {
  try {
    const moved = moveOrphansAside(file, systemClock.now());
    if (moved.length > 0) hooks.onMovedAside?.(moved);
  } catch (error) {
    throw toQueryError(toFailure(file, error));
  }
}

async function send(thread: SqliteThread, step: Step, queries: readonly CompiledQuery[]): Promise<Results> {
  return (await thread.send(step, queries.map(toStatement))).map(toQueryResult<unknown>);
}

type Results = readonly QueryResult<unknown>[];

/**
 * A transaction in one message. One more may be sent while one runs, so that the writer has the next when it has done with
 * this one; others wait for the lock, which bounds how long.
 */
function createWholeRunner({
  writer,
  writing,
}: SqliteThreads): (queries: readonly CompiledQuery[], isUrgent: boolean | undefined) => Promise<Results> {
  let ahead: Promise<unknown> | undefined;

  return async (queries, isUrgent) => {
    const release = await writing.acquire(isUrgent);
    const before = ahead;
    const answered = send(writer, 'whole', queries);
    const settled = answered
      .catch(() => {})
      .finally(() => {
        if (ahead === settled) ahead = undefined;
      });
    ahead = settled;
    if (before === undefined) release();
    else void before.then(release);
    return answered;
  };
}

/** @param next further queries for the same transaction, made of the answers */
async function runInTwo(
  { writer, writing }: SqliteThreads,
  queries: readonly CompiledQuery[],
  next: (results: Results) => readonly CompiledQuery[],
  isUrgent: boolean | undefined,
): Promise<Results> {
  const release = await writing.acquire(isUrgent);
  try {
    const results = await send(writer, 'begin', queries);
    return [...results, ...(await send(writer, 'finish', next(results)))];
  } catch (error) {
    await writer.send('rollback', []);
    throw error;
  } finally {
    release();
  }
}

const probe = ['select 1', []] as const;

async function ping({ writer, reader }: SqliteThreads): Promise<void> {
  const answered = Promise.all([writer, reader].map((thread) => thread.send('alone', [probe])));
  await within(pingMs, 'SQLite did not answer', answered).catch((error: unknown) => {
    throw error instanceof TooSlow ? new DatabaseUnavailable(error.message) : error;
  });
}

async function startThreads(
  file: string,
  hooks: DatabaseHooks,
): Promise<SqliteThreads & Pick<Database, 'isInPlace'> & { readonly checkpointer: SqliteCheckpointer }> {
  const onDeath = (error: DatabaseUnavailable) => hooks.log?.('the database is down until a restart', error);
  const writer = await startSqliteThread({ file, role: 'writer' }, onDeath);
  try {
    const isInPlace = await rememberFile(file);
    let death: DatabaseUnavailable | undefined;
    const onReaderDeath = (error: DatabaseUnavailable) => {
      if (death === undefined) onDeath(error);
      death ??= error;
    };
    const startReader = () => startSqliteThread({ file, role: 'reader' }, onReaderDeath);
    const reader = shareReaders({
      first: await startReader(),
      most: mostReaders,
      startThread: startReader,
      death: () => death,
      onFault: (error) => hooks.log?.('one more thread that reads was not started', error),
    });
    const writing = createFairLock({ maxWaitMs, maxWaiting });
    const onFault = (error: Error) => hooks.log?.('the write-ahead log was not moved into the database', error);
    const startThread = () => startSqliteThread({ file, role: 'checkpointer' }, onFault);
    const walBytes = async () => (await stat(`${file}-wal`)).size;
    const checkpointer = createSqliteCheckpointer({ walBytes, writing, writer, startThread, onFault });
    return { writer: tellingOfWrites(writer, checkpointer), reader, writing, checkpointer, isInPlace };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

const ending: ReadonlySet<Step> = new Set(['alone', 'finish', 'commit', 'whole']);

/** The writer, of which the checkpointer hears when a transaction ends. */
function tellingOfWrites(writer: SqliteThread, checkpointer: SqliteCheckpointer): SqliteThread {
  return {
    ...writer,
    send(step, statements) {
      if (ending.has(step)) checkpointer.written();
      return writer.send(step, statements);
    },
  };
}
