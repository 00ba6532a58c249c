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
  // Not Sets, for the reason that sqlite-thread.ts gives.
  const urgent: Waiter[] = [];
  const usual: Waiter[] = [];
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
      const isUrgentNext = urgent.length > 0 && !(heldByUrgent && usual.length > 0);
      const next = (isUrgentNext ? urgent : usual).shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.grant(hold(isUrgentNext));
    };
  }

  return {
    async acquire(isUrgent = false) {
      if (!held) return hold(isUrgent);
      if (urgent.length + usual.length >= options.maxWaiting)
        throw new DatabaseUnavailable('too many callers wait to write');
      const queue = isUrgent ? urgent : usual;
      return new Promise<Release>((grant, reject) => {
        const giveUp = () => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(new DatabaseUnavailable(`waited ${options.maxWaitMs} ms for another transaction to end`));
        };
        const waiter: Waiter = { grant, timer: setTimeout(giveUp, options.maxWaitMs) };
        queue.push(waiter);
      });
    },
    get waiting() {
      return urgent.length + usual.length;
    },
  };
}
