import type { Problem } from './problem.ts';

/** Costly work: few run at once, few wait, and the others are refused. */
export interface WorkQueue<Line> {
  /**
   * Runs `work` when its turn comes.
   * @param line items of one line wait for each other; lines take turns
   * @param signal aborted while waiting: the work does not begin, and the reason is thrown
   * @throws Problem when there is no room, or it has waited too long
   */
  run<T>(work: () => Promise<T>, line: Line, signal?: AbortSignal): Promise<T>;
  /** How many run or wait. */
  readonly busy: number;
}

export interface WorkQueueOptions<Line> {
  readonly concurrency: number;
  /** The most of one line that runs at once; by default `concurrency`. */
  readonly concurrencyOfLine?: number;
  /** The most in one line. */
  readonly waiting: number;
  /** The most in all lines together. */
  readonly waitingInAll?: number;
  /** The longest wait, milliseconds; by default unlimited. */
  readonly patienceMs?: number;
  /** A line that always goes first. */
  readonly first?: Line;
  /** The Problem when there is no room. */
  readonly refusal: () => Problem;
}

export function createWorkQueue<Line>(options: WorkQueueOptions<Line>): WorkQueue<Line> {
  const { concurrency, waiting, waitingInAll = Number.POSITIVE_INFINITY, patienceMs, first, refusal } = options;
  const { concurrencyOfLine = concurrency } = options;
  /** What begins each waiter's work, by line. Never an empty line. The next one comes first. */
  const lines = new Map<Line, (() => void)[]>();
  /** How many run of each line. Never 0. */
  const runningOf = new Map<Line, number>();
  let running = 0;
  let waiters = 0;

  async function enter(line: Line, signal: AbortSignal | undefined): Promise<void> {
    if (running < concurrency && mayRun(line)) {
      count(line, 1);
      return;
    }
    signal?.throwIfAborted();
    if ((lines.get(line)?.length ?? 0) >= waiting || waiters >= waitingInAll) throw refusal();
    // Passes the place on directly, so that no newcomer takes it.
    await wait(line, signal);
  }

  function mayRun(line: Line): boolean {
    return (runningOf.get(line) ?? 0) < concurrencyOfLine;
  }

  function count(line: Line, change: 1 | -1): void {
    running += change;
    const ofLine = (runningOf.get(line) ?? 0) + change;
    if (ofLine === 0) runningOf.delete(line);
    else runningOf.set(line, ofLine);
  }

  function wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => {
      signal?.removeEventListener('abort', giveUp);
      clearTimeout(timer);
      forget(line, begin);
    };
    const giveUp = () => {
      end();
      reject(signal?.reason);
    };
    const expire = () => {
      end();
      reject(refusal());
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(expire, patienceMs);
    const begin = () => {
      end();
      resolve();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    lines.set(line, [...(lines.get(line) ?? []), begin]);
    waiters += 1;
    return promise;
  }

  function forget(line: Line, waiter: () => void): void {
    const others = (lines.get(line) ?? []).filter((each) => each !== waiter);
    if (others.length === 0) lines.delete(line);
    else lines.set(line, others);
    waiters -= 1;
  }

  /** One place becomes free, so at most one can begin. */
  function leave(left: Line): void {
    count(left, -1);
    const isFirst = first !== undefined && lines.has(first) && mayRun(first);
    const line = isFirst ? first : lines.keys().find(mayRun);
    const queue = line === undefined ? undefined : lines.get(line);
    if (line === undefined || queue === undefined) return;
    lines.delete(line);
    lines.set(line, queue);
    count(line, 1);
    queue[0]?.();
  }

  return {
    async run(work, line, signal) {
      await enter(line, signal);
      try {
        return await work();
      } finally {
        leave(line);
      }
    },
    get busy() {
      return running + waiters;
    },
  };
}
