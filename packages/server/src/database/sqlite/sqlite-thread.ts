import { Worker } from 'node:worker_threads';
import { bareEnvironment } from '../../runtime/bare-environment.ts';
import { DatabaseUnavailable } from '../sql/database-errors.ts';
import { toQueryError } from './sqlite-error.ts';
import type { Reply, Request, SqliteThreadOptions, Statement, StatementResult, Step } from './sqlite-message.ts';

const maxOutstanding = 10_000;

/** The main thread's end of a SQLite thread. */
export interface SqliteThread {
  /**
   * Runs statements in the thread, in the order of the calls.
   * @throws QueryFailed when SQLite refuses; DatabaseUnavailable when it cannot now, or the thread is gone.
   */
  send(step: Step, statements: readonly Statement[]): Promise<readonly StatementResult[]>;
  /** Lets what was sent end, closes the file and ends the thread. */
  close(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens the file in a new thread. When the thread dies, every outstanding and later call fails.
 * @param onDeath called once, with the reason
 * @throws DatabaseUnavailable when the file cannot be opened: which one, why, and the remedy
 */
export async function startSqliteThread(
  options: SqliteThreadOptions,
  onDeath: (error: DatabaseUnavailable) => void,
): Promise<SqliteThread> {
  /**
   * In their order, which is that of the replies. Not a Map: one that is added to and deleted from keeps pointing, inside V8,
   * from its former table to its next one, so that a former one which has grown old keeps all later ones, with the statements that
   * waited in them, until the next full collection.
   */
  let calls: Call[] = [];
  let lastId = 0;
  let end: DatabaseUnavailable | undefined;
  let isOpen = false;
  // No environment and no flags of the process: the thread needs neither, and the environment may hold secrets.
  const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
    name: `sqlite ${options.role}`,
    workerData: options,
    env: bareEnvironment(),
    execArgv: [],
    // What passes through is short-lived: a large nursery would only fill memory (measured: some 50 MB of the process under load).
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  function fail(reason: string): void {
    const death = new DatabaseUnavailable(`the SQLite ${options.role} thread ended: ${reason}`);
    for (const call of calls) call.reject(death);
    calls = [];
    if (end !== undefined) return;
    end = death;
    // Before the file is open, only the caller of `startSqliteThread` needs to know, and its promise is rejected.
    if (isOpen) onDeath(death);
  }

  worker.on('error', (error) => fail(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (code) => fail(`exit code ${code}`));
  worker.on('message', (reply: Reply) => {
    if (calls[0]?.id === reply[0]) return calls.shift()?.resolve(reply);
    fail('it answered out of order');
    return worker.terminate();
  });

  function expectReply(id: number): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      calls.push({ id, resolve, reject });
    });
  }

  async function send(step: Step, statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    if (end !== undefined) throw end;
    if (calls.length >= maxOutstanding) throw new DatabaseUnavailable('too many queries wait for SQLite');
    lastId += 1;
    // What cannot be sent throws here, and no reply is waited for.
    worker.postMessage([lastId, step, statements] satisfies Request);
    const [, results, failure] = await expectReply(lastId);
    if (failure !== undefined) throw toQueryError(failure);
    return results;
  }

  // The thread's first message has the id 0. It says that the file is open, or why it cannot be opened.
  const [, , failure] = await expectReply(0);
  if (failure !== undefined) {
    await exited;
    throw toQueryError(failure);
  }
  isOpen = true;
  return {
    send,
    async close() {
      if (end === undefined) {
        const closing = send('close', []);
        end = new DatabaseUnavailable('the database is closed');
        await closing;
      }
      await exited;
    },
  };
}
