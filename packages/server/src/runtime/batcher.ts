import type { Clock } from './clock.ts';

/**
 * Group commit: items offered while a group is being written form the next group, so that the cost of one commit is
 * shared by all that waited for it. Nothing is delayed on purpose: an item that finds the batcher idle goes at once.
 */
export interface Batcher<Item, Result> {
  /**
   * Resolves with the item's result once its group is committed.
   * @throws BatcherFull when `maxWaiting` items already wait: the caller refuses instead of queueing without bound.
   */
  offer(item: Item): Promise<Result>;
  /** Resolves when everything offered before is settled. */
  drain(): Promise<void>;
  readonly waiting: number;
}

export interface BatcherOptions<Item, Result> {
  /** Writes a group in one transaction; returns one result per item, in order. */
  readonly commit: (group: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxGroup: number;
  readonly maxWaiting: number;
  /**
   * Whether a failed commit says nothing about its items, such as a database that is gone. Then all items of the group
   * fail at once: taking it apart would make 2n-1 attempts, each as long as a time limit, and a commit whose outcome
   * is unknown could be made twice.
   */
  readonly isOutage?: (error: unknown) => boolean;
  /**
   * Waits for company before a group is taken, where nobody waits for the result: fewer, larger commits. By default only
   * the offers of the same turn of the loop are waited for, and only by a batcher that was idle.
   */
  readonly gather?: () => Promise<void>;
  /**
   * How many groups may be under way at once; 1 unless told. With 2, what writes is never without work while the answers to
   * the group before go out: a second group follows when it is worth a commit of its own (`fewItems`) and no smaller than
   * the one under way, and many items that come after a pause are taken by halves. Smaller ones that went at once meant
   * more commits for the same items (hand-outs to 64 clients, eight pairs of runs: 23.9 to a commit and 48.8 µs of CPU
   * each, 26.1 and 45.8 µs so). Groups under way must not depend on each other.
   */
  readonly underWay?: number;
  readonly timeLimit?: TimeLimit;
}

/**
 * How long an offer waits at most, from when it is made. What is late is written all the same; nobody hears of its end. One
 * timer serves all: they end in the order in which they came. (A promise around each offer, to the same effect, cost
 * a hand-out 2.9 µs of 27 with 64 clients.)
 */
export interface TimeLimit {
  readonly ms: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls `run` after so many milliseconds. */
  readonly schedule: (ms: number, run: () => void) => void;
  /** What a late offer is rejected with; called once for each. */
  readonly tooLate: () => Error;
}

export class BatcherFull extends Error {
  override readonly name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly offeredAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Its offer has got its result or its error. */
  isSettled: boolean;
}

interface Group<Item, Result> {
  items: readonly Waiting<Item, Result>[];
  ended: Promise<void>;
}

/** So few are better written together with others. */
const fewItems = 16;

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { maxGroup, maxWaiting, underWay: mostUnderWay = 1, timeLimit } = options;
  const queue: Waiting<Item, Result>[] = [];
  /** Those under way, the oldest first. Not a Set, for the reason that sqlite-thread.ts gives. */
  let groups: readonly Group<Item, Result>[] = [];
  /** A group is being gathered: what is offered belongs to that one, and no other is taken meanwhile. */
  let isGathering = false;
  let isTimed = false;

  /** All but the oldest group: what was sent ahead waits as well. */
  function countWaiting(): number {
    let waiting = queue.length;
    for (let index = 1; index < groups.length; index += 1) waiting += groups[index]?.items.length ?? 0;
    return waiting;
  }

  function mayTake(): boolean {
    if (isGathering || groups.length >= mostUnderWay) return false;
    const [oldest] = groups;
    return queue.length >= (oldest === undefined ? 1 : Math.max(fewItems, oldest.items.length));
  }

  /** Offers of the same turn of the loop join the group instead of leaving it with a single item. */
  function gather(): void {
    isGathering = true;
    setImmediate(() => {
      isGathering = false;
      const isHalved =
        mostUnderWay > 1 && options.gather === undefined && groups.length === 0 && queue.length >= fewItems;
      take(isHalved ? Math.floor(queue.length / 2) : maxGroup);
    });
  }

  function take(most: number): void {
    const group: Group<Item, Result> = { items: [], ended: Promise.resolve() };
    groups = [...groups, group];
    group.ended = write(group, most).finally(() => {
      groups = groups.filter((other) => other !== group);
      if (mayTake()) take(maxGroup);
    });
    if (mayTake()) take(maxGroup);
  }

  async function write(group: Group<Item, Result>, most: number): Promise<void> {
    if (options.gather !== undefined) {
      isGathering = true;
      await options.gather();
      isGathering = false;
    }
    group.items = queue.splice(0, Math.min(most, maxGroup));
    await settle(group.items, options);
  }

  function timeAfter({ schedule }: TimeLimit, ms: number): void {
    isTimed = true;
    schedule(ms, expire);
  }

  /** Gives up what is late, and comes again for the oldest that is not. */
  function expire(): void {
    isTimed = false;
    if (timeLimit === undefined) return;
    const now = timeLimit.clock.monotonic();
    for (const waiting of [...groups.flatMap(({ items }) => items), ...queue]) {
      if (waiting.isSettled) continue;
      const left = waiting.offeredAt + timeLimit.ms - now;
      if (left > 0) {
        timeAfter(timeLimit, left);
        return;
      }
      reject(waiting, timeLimit.tooLate());
    }
  }

  return {
    offer(item) {
      if (countWaiting() >= maxWaiting) {
        return Promise.reject(new BatcherFull('too many items wait for a commit'));
      }
      const offeredAt = timeLimit?.clock.monotonic() ?? 0;
      const settled = new Promise<Result>((resolve, reject) => {
        queue.push({ item, offeredAt, resolve, reject, isSettled: false });
      });
      if (timeLimit !== undefined && !isTimed) timeAfter(timeLimit, timeLimit.ms);
      if (mayTake()) gather();
      return settled;
    },
    async drain() {
      // Taken in the order of the offers, so with the last one all are; those that were given up for being late as well.
      const last = queue.at(-1);
      while (last !== undefined && queue.includes(last)) await (groups[0]?.ended ?? nextTurn());
      await Promise.all(groups.map(({ ended }) => ended));
    },
    get waiting() {
      return countWaiting();
    },
  };
}

/**
 * Commits a group; when it fails, halves it until the bad item fails alone and its neighbours are committed. An outage
 * fails every item after the attempt that met it.
 */
async function settle<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  options: Pick<BatcherOptions<Item, Result>, 'commit' | 'isOutage'>,
): Promise<void> {
  let results: readonly Result[];
  try {
    results = await options.commit(group.map((waiting) => waiting.item));
  } catch (error) {
    if (group.length === 1 || options.isOutage?.(error) === true) {
      for (const waiting of group) reject(waiting, error);
      return;
    }
    const middle = group.length >> 1;
    await settle(group.slice(0, middle), options);
    await settle(group.slice(middle), options);
    return;
  }
  group.forEach((waiting, index) => {
    waiting.isSettled = true;
    waiting.resolve(results[index] as Result);
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function reject(waiting: Waiting<unknown, never>, error: unknown): void {
  waiting.isSettled = true;
  waiting.reject(error);
}
