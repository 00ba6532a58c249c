import { DatabaseUnavailable } from '../sql/database-errors.ts';
import type { SqliteThread } from './sqlite-thread.ts';

const maxWaiting = 10_000;
/** A select that has waited so long for a thread has one more started, which stays. A small server never needs it. */
const patienceMs = 200;
/** After a thread could not be started, because files or memory are short, the others serve alone for a while. */
const patienceAfterFaultMs = 60_000;

export interface SqliteReaderNeeds {
  /** The thread that is there from the beginning. */
  readonly first: SqliteThread;
  /** How many threads there may be. */
  readonly most: number;
  readonly startThread: () => Promise<SqliteThread>;
  /** Why a thread has died. Then no thread is used any more, because a part of the reads would fail for ever. */
  readonly death: () => DatabaseUnavailable | undefined;
  /** Hears why a further thread could not be started. */
  readonly onFault: (error: Error) => void;
}

/**
 * Several reading threads as one. A select goes to a thread that is idle, else to the first that becomes so: one which
 * reads much, or waits for a page that only the disk has, holds the others up for as long as it takes to start one more
 * thread. Anything else goes to all.
 */
export function shareReaders({ first, most, startThread, death, onFault }: SqliteReaderNeeds): SqliteThread {
  const threads = [first];
  const idle = [first];
  const waiting: ((thread: SqliteThread) => void)[] = [];
  let patience = patienceMs;
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let isClosing = false;

  async function borrow(): Promise<SqliteThread> {
    return idle.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(thread: SqliteThread): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(thread);
    else next(thread);
  }

  function growSoon(): void {
    if (timer !== undefined || threads.length >= most || isClosing) return;
    timer = setTimeout(() => {
      starting = grow().finally(() => {
        timer = undefined;
        // One more where that was not enough.
        if (waiting.length > 0) growSoon();
      });
    }, patience).unref();
  }

  async function grow(): Promise<void> {
    // Answers that came while the main thread was busy are taken first: they may have made a thread idle.
    await new Promise((resolve) => setImmediate(resolve));
    if (waiting.length === 0 || isClosing) return;
    try {
      const thread = await startThread();
      threads.push(thread);
      patience = patienceMs;
      giveBack(thread);
    } catch (error) {
      patience = patienceAfterFaultMs;
      onFault(error as Error);
    }
  }

  return {
    async send(step, statements) {
      const reason = death();
      if (reason !== undefined) throw reason;
      if (step !== 'alone') {
        await Promise.all(threads.map((thread) => thread.send(step, statements)));
        return [];
      }
      if (waiting.length >= maxWaiting) throw new DatabaseUnavailable('too many queries wait for SQLite');
      if (idle.length === 0) growSoon();
      const thread = await borrow();
      try {
        return await thread.send(step, statements);
      } finally {
        giveBack(thread);
      }
    },
    async close() {
      isClosing = true;
      clearTimeout(timer);
      await starting;
      // Once all are borrowed, every select that was sent before has been answered.
      const all = await Promise.all(threads.map(borrow));
      await Promise.all(all.map((thread) => thread.close()));
      for (const thread of all) giveBack(thread);
    },
  };
}
