import { DatabaseUnavailable } from './database-errors.ts';

export interface FairLockOptions {
  /** A holder that never lets go must not make others wait for ever. */
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
}

/** Ends one holding. Calling it again does nothing. */
export type Release = () => void;

interface Waiter {
  readonly grant: (release: Release) => void;
  readonly timer: NodeJS.Timeout;
}

/** Mutual exclusion in the order of asking, so that nobody starves behind a busy neighbour. */
export interface FairLock {
  /** @throws DatabaseUnavailable after `maxWaitMs`, or at once when `maxWaiting` already wait. */
  acquire(): Promise<Release>;
  readonly waiting: number;
}

export function createFairLock(options: FairLockOptions): FairLock {
  // Not a Set, for the reason that sqlite-thread.ts gives.
  let queue: Waiter[] = [];
  let held = false;

  function hold(): Release {
    held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      held = false;
      const next = queue.shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.grant(hold());
    };
  }

  return {
    async acquire() {
      if (!held) return hold();
      if (queue.length >= options.maxWaiting) throw new DatabaseUnavailable('too many callers wait to write');
      return new Promise<Release>((grant, reject) => {
        const giveUp = () => {
          // Whoever waits longest is given up first.
          if (queue[0] === waiter) queue.shift();
          else queue = queue.filter((other) => other !== waiter);
          reject(new DatabaseUnavailable(`waited ${options.maxWaitMs} ms for another transaction to end`));
        };
        const waiter: Waiter = { grant, timer: setTimeout(giveUp, options.maxWaitMs) };
        queue.push(waiter);
      });
    },
    get waiting() {
      return queue.length;
    },
  };
}
