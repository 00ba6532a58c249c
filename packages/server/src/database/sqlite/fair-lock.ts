import { DatabaseUnavailable } from '../sql/database-errors.ts';

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

/**
 * Mutual exclusion in the order of asking, so that nobody starves behind a busy neighbour. Urgent waiters go before the
 * others, one at a time: after an urgent one the longest waiting of the others has its turn.
 */
export interface FairLock {
  /** @throws DatabaseUnavailable after `maxWaitMs`, or at once when `maxWaiting` already wait. */
  acquire(isUrgent?: boolean): Promise<Release>;
  readonly waiting: number;
}

export function createFairLock(options: FairLockOptions): FairLock {
  const urgent = createQueue();
  const usual = createQueue();
  let held = false;
  let heldByUrgent = false;

  function hold(isUrgent: boolean): Release {
    held = true;
    heldByUrgent = isUrgent;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      held = false;
      const isUrgentNext = urgent.size > 0 && !(heldByUrgent && usual.size > 0);
      const next = (isUrgentNext ? urgent : usual).shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.grant(hold(isUrgentNext));
    };
  }

  return {
    async acquire(isUrgent = false) {
      if (!held) return hold(isUrgent);
      if (urgent.size + usual.size >= options.maxWaiting)
        throw new DatabaseUnavailable('too many callers wait to write');
      const queue = isUrgent ? urgent : usual;
      return new Promise<Release>((grant, reject) => {
        const giveUp = () => {
          queue.remove(waiter);
          reject(new DatabaseUnavailable(`waited ${options.maxWaitMs} ms for another transaction to end`));
        };
        const waiter: Waiter = { grant, timer: setTimeout(giveUp, options.maxWaitMs) };
        queue.push(waiter);
      });
    },
    get waiting() {
      return urgent.size + usual.size;
    },
  };
}

interface WaiterQueue {
  readonly size: number;
  push(waiter: Waiter): void;
  shift(): Waiter | undefined;
  remove(waiter: Waiter): void;
}

function createQueue(): WaiterQueue {
  // Not a Set, for the reason that sqlite-thread.ts gives.
  let waiters: Waiter[] = [];
  return {
    get size() {
      return waiters.length;
    },
    push: (waiter) => waiters.push(waiter),
    shift: () => waiters.shift(),
    remove(waiter) {
      // The one that waits longest is given up first.
      if (waiters[0] === waiter) waiters.shift();
      else waiters = waiters.filter((other) => other !== waiter);
    },
  };
}
