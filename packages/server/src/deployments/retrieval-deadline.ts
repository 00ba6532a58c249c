import type { Clock } from '../runtime/clock.ts';

/**
 * One time limit for many waits. A timer of its own for each would cost a request more than its access decision; waits
 * of equal length end in the order in which they began, so one timer, set for the oldest, serves them all.
 */
export interface RetrievalDeadline {
  /** Settles as `work` does. What is late goes on all the same; nobody hears of its end. @throws TooSlow */
  within<T>(work: Promise<T>): Promise<T>;
}

/** No answer within the time limit. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

export interface RetrievalDeadlineOptions {
  readonly limitMs: number;
  /** What takes so long, for the log: "the database did not answer". */
  readonly complaint: string;
  readonly clock: Clock;
  /** Hears of each wait that was given up. */
  readonly onLate?: () => void;
  /** Calls `run` after so many milliseconds. */
  readonly schedule?: (ms: number, run: () => void) => void;
}

interface Waiting {
  readonly dueAt: number;
  /** Undefined once it is settled. */
  reject: ((error: TooSlow) => void) | undefined;
}

/** So many settled waits in front are worth moving the others. */
const settledAtMost = 1_000;

export function createRetrievalDeadline(options: RetrievalDeadlineOptions): RetrievalDeadline {
  const { limitMs, complaint, clock, onLate, schedule = afterIncoming } = options;
  /**
   * In the order in which they are due; those before `first` are settled. Not a Set: one that is added to and deleted from
   * keeps pointing, inside V8, from its former table to its next one, so that a former one which has grown old keeps all later
   * ones, with the requests that waited in them, until the next full collection.
   */
  let waits: Waiting[] = [];
  let first = 0;
  let scheduled = false;

  function settle(waiting: Waiting): void {
    waiting.reject = undefined;
    while (first < waits.length && waits[first]?.reject === undefined) first += 1;
    if (first < waits.length && first < settledAtMost) return;
    waits = waits.slice(first);
    first = 0;
  }

  function expire(): void {
    scheduled = false;
    const now = clock.monotonic();
    const error = new TooSlow(`${complaint} within ${limitMs} ms`);
    for (const waiting of waits.slice(first)) {
      const { dueAt, reject } = waiting;
      if (reject === undefined) continue;
      if (dueAt > now) {
        expireAfter(dueAt - now);
        return;
      }
      settle(waiting);
      onLate?.();
      reject(error);
    }
  }

  function expireAfter(ms: number): void {
    scheduled = true;
    schedule(ms, expire);
  }

  return {
    within(work) {
      return new Promise((resolve, reject) => {
        const waiting: Waiting = { dueAt: clock.monotonic() + limitMs, reject };
        waits.push(waiting);
        if (!scheduled) expireAfter(limitMs);
        work.then(
          (result) => {
            settle(waiting);
            resolve(result);
          },
          (error) => {
            settle(waiting);
            reject(error);
          },
        );
      });
    },
  };
}

/** After what has arrived meanwhile: a process that stood still must not take its own pause for the database's. */
export function afterIncoming(ms: number, run: () => void): void {
  setTimeout(() => setImmediate(run), ms).unref();
}
