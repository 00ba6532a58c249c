import type { FairLock } from './fair-lock.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/**
 * Moves committed pages from the WAL into the database file (https://www.sqlite.org/wal.html#ckpt) beside the writer.
 * By SQLite's own way the commit that fills the WAL does it, and every caller waits for that commit. Here a thread of
 * its own moves the bulk, and the writer only the pages committed meanwhile; then the WAL begins from its start. If all
 * that fails, the writer does it as SQLite would, at four times as many pages (sqlite-connection.ts).
 */
export interface SqliteCheckpointer {
  /** To be called when a transaction has been sent to the writer. */
  written(): void;
  close(): Promise<void>;
}

export interface SqliteCheckpointerNeeds {
  /** The size of the WAL's file. */
  readonly walBytes: () => Promise<number>;
  /** Of the database: nobody may be in a transaction while the writer checkpoints. */
  readonly writing: Pick<FairLock, 'acquire'>;
  readonly writer: Pick<SqliteThread, 'send'>;
  /** Starts the thread, when it is first needed: a small instance never is. */
  readonly startThread: () => Promise<SqliteThread>;
  /** Hears why a checkpoint failed; another is tried much later. */
  readonly onFault: (error: Error) => void;
}

/**
 * So many pages of 4 KiB. Pages that each commit changes go to the file once for all that it changed: with four times as
 * many as SQLite's default, a tenth to a quarter less CPU for each push.
 */
const fullPages = 4_000;
const pageBytes = 4_096;
/** Each writes a page or more. */
const transactionsPerLook = 64;
/** A disk that is full is full for a while, and whoever is to be told has been. */
const transactionsAfterFault = 100_000;

const noop = ['pragma wal_checkpoint(noop)', []] as const;
const passive = ['pragma wal_checkpoint(passive)', []] as const;

export function createSqliteCheckpointer(needs: SqliteCheckpointerNeeds): SqliteCheckpointer {
  const { walBytes, writing, writer, startThread, onFault } = needs;
  let thread: SqliteThread | undefined;
  let untilLook = transactionsPerLook;
  let looking: Promise<void> | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    // The file is not cut back when the WAL begins anew: this says only that there is a thread to be started.
    if (thread === undefined && (await walBytes()) < fullPages * pageBytes) return;
    thread ??= await startThread();
    if ((await pagesToMove(thread)) < fullPages || isClosed) return;
    // The second time moves what was committed during the first, so that little is left for the writer.
    await thread.send('alone', [passive]);
    await thread.send('alone', [passive]);
    const release = await writing.acquire();
    try {
      await writer.send('alone', [passive]);
    } finally {
      release();
    }
  }

  return {
    written() {
      untilLook -= 1;
      if (untilLook > 0 || looking !== undefined || isClosed) return;
      untilLook = transactionsPerLook;
      looking = look()
        .catch((error: Error) => {
          untilLook = transactionsAfterFault;
          if (!isClosed) onFault(error);
        })
        .finally(() => {
          looking = undefined;
        });
    },
    async close() {
      isClosed = true;
      await looking;
      await thread?.close();
    },
  };
}

/** Pages that are in the WAL alone. */
async function pagesToMove(thread: SqliteThread): Promise<number> {
  const [[, , [[, inLog = 0, moved = 0] = []] = []] = []] = await thread.send('alone', [noop]);
  return Number(inLog) - Number(moved);
}
