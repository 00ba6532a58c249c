import { DatabaseUnavailable } from './database-errors.ts';
import type { SqliteThread } from './sqlite-thread.ts';

const maxWaiting = 10_000;

/**
 * Several reading threads as one. A select goes to a thread that is idle, else to the first that becomes so: one which
 * reads much, or waits for a page that only the disk has, holds no other up while a thread is left. Anything else goes
 * to all.
 * @param death why one of them has died; then all are as good as dead, because a part of the reads would fail for ever
 */
export function shareReaders(
  threads: readonly SqliteThread[],
  death: () => DatabaseUnavailable | undefined,
): SqliteThread {
  const idle = [...threads];
  const waiting: ((thread: SqliteThread) => void)[] = [];

  async function borrow(): Promise<SqliteThread> {
    return idle.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(thread: SqliteThread): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(thread);
    else next(thread);
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
      const thread = await borrow();
      try {
        return await thread.send(step, statements);
      } finally {
        giveBack(thread);
      }
    },
    async close() {
      // Once all are borrowed, every select that was sent before has been answered.
      const all = await Promise.all(threads.map(borrow));
      await Promise.all(all.map((thread) => thread.close()));
      for (const thread of all) giveBack(thread);
    },
  };
}
