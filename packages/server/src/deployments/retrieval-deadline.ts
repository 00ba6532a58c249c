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
  readonly reject: (error: TooSlow) => void;
}

export function createRetrievalDeadline(options: RetrievalDeadlineOptions): RetrievalDeadline {
  const { limitMs, complaint, clock, onLate, schedule = afterIncoming } = options;
  const waits = new Set<Waiting>();
  let scheduled = false;

  function expire(): void {
    scheduled = false;
    const now = clock.monotonic();
    const error = new TooSlow(`${complaint} within ${limitMs} ms`);
    for (const waiting of waits) {
      if (waiting.dueAt > now) {
        expireAfter(waiting.dueAt - now);
        return;
      }
      waits.delete(waiting);
      onLate?.();
      waiting.reject(error);
    }
  }

  function expireAfter(ms: number): void {
    scheduled = true;
    schedule(ms, expire);
  }

  return {
    within(work) {
      return new Promise((resolve, reject) => {
        const waiting = { dueAt: clock.monotonic() + limitMs, reject };
        waits.add(waiting);
        if (!scheduled) expireAfter(limitMs);
        work.then(
          (result) => {
            waits.delete(waiting);
            resolve(result);
          },
          (error) => {
            waits.delete(waiting);
            reject(error);
          },
        );
      });
    },
  };
}

/** After what has arrived meanwhile: a process that stood still must not take its own pause for the database's. */
function afterIncoming(ms: number, run: () => void): void {
  setTimeout(() => setImmediate(run), ms).unref();
}
