import type { Problem } from './problem.ts';

/** Work that is costly, so that few of it run at once, few wait, and the others are refused. */
export interface Turns<Line> {
  /**
   * Does `work` when its turn comes.
   * @param line who waits in the same line waits for each other; lines take turns
   * @param signal whose work is aborted while it waits is not begun; its reason is thrown. What need not wait is begun
   * @throws Problem when its line is full, too many wait in all, or it has waited too long
   */
  run<T>(work: () => Promise<T>, line: Line, signal?: AbortSignal): Promise<T>;
  /** How many run or wait. */
  readonly busy: number;
}

export interface TurnsOptions<Line> {
  readonly concurrency: number;
  /** How many wait in one line at most. */
  readonly waiting: number;
  /** How many wait in all lines together at most. */
  readonly waitingInAll?: number;
  /** How long it may wait, ms; as long as it takes unless told. */
  readonly patienceMs?: number;
  /** The line that always goes before the others. */
  readonly first?: Line;
  /** What those are told for whom there is no room. */
  readonly refusal: () => Problem;
}

interface Waiter {
  readonly begin: () => void;
}

export function createTurns<Line>(options: TurnsOptions<Line>): Turns<Line> {
  const { concurrency, waiting, waitingInAll = Number.POSITIVE_INFINITY, patienceMs, first, refusal } = options;
  /** None of them is empty; the one whose turn is next comes first. */
  const lines = new Map<Line, Waiter[]>();
  let running = 0;
  let waiters = 0;

  async function enter(line: Line, signal: AbortSignal | undefined): Promise<void> {
    if (running < concurrency) {
      running += 1;
      return;
    }
    signal?.throwIfAborted();
    if ((lines.get(line)?.length ?? 0) >= waiting || waiters >= waitingInAll) throw refusal();
    // Whoever leaves hands its place on, so nobody who comes in between takes it.
    await wait(line, signal);
  }

  function wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => {
      signal?.removeEventListener('abort', giveUp);
      clearTimeout(timer);
      forget(line, waiter);
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
    const waiter: Waiter = {
      begin() {
        end();
        resolve();
      },
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    lines.set(line, [...(lines.get(line) ?? []), waiter]);
    waiters += 1;
    return promise;
  }

  function forget(line: Line, waiter: Waiter): void {
    const others = (lines.get(line) ?? []).filter((each) => each !== waiter);
    if (others.length === 0) lines.delete(line);
    else lines.set(line, others);
    waiters -= 1;
  }

  function leave(): void {
    const line = first !== undefined && lines.has(first) ? first : lines.keys().next().value;
    const queue = line === undefined ? undefined : lines.get(line);
    if (line === undefined || queue === undefined) {
      running -= 1;
      return;
    }
    lines.delete(line);
    lines.set(line, queue);
    queue[0]?.begin();
  }

  return {
    async run(work, line, signal) {
      await enter(line, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get busy() {
      return running + waiters;
    },
  };
}
