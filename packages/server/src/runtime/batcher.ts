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
}

export class BatcherFull extends Error {
  override readonly name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Group {
  size: number;
  ended: Promise<void>;
}

/** So few are better written together with others. */
const fewItems = 16;

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { maxGroup, maxWaiting, underWay: mostUnderWay = 1 } = options;
  const queue: Waiting<Item, Result>[] = [];
  /** Those under way, the oldest first. Not a Set, for the reason that sqlite-thread.ts gives. */
  let groups: readonly Group[] = [];
  /** A group is being gathered: what is offered belongs to that one, and no other is taken meanwhile. */
  let isGathering = false;
  let lastOffered: Promise<unknown> = Promise.resolve();

  /** All but the oldest group: what was sent ahead waits as well. */
  function countWaiting(): number {
    return groups.slice(1).reduce((waiting, { size }) => waiting + size, queue.length);
  }

  function mayTake(): boolean {
    if (isGathering || groups.length >= mostUnderWay) return false;
    const [oldest] = groups;
    return queue.length >= (oldest === undefined ? 1 : Math.max(fewItems, oldest.size));
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
    const group: Group = { size: 0, ended: Promise.resolve() };
    groups = [...groups, group];
    group.ended = write(group, most).finally(() => {
      groups = groups.filter((other) => other !== group);
      if (mayTake()) take(maxGroup);
    });
    if (mayTake()) take(maxGroup);
  }

  async function write(group: Group, most: number): Promise<void> {
    if (options.gather !== undefined) {
      isGathering = true;
      await options.gather();
      isGathering = false;
    }
    const items = queue.splice(0, Math.min(most, maxGroup));
    group.size = items.length;
    await settle(items, options);
  }

  return {
    offer(item) {
      if (countWaiting() >= maxWaiting) {
        return Promise.reject(new BatcherFull('too many items wait for a commit'));
      }
      const settled = new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
      });
      if (mayTake()) gather();
      lastOffered = settled;
      return settled;
    },
    async drain() {
      // Groups are taken in the order of the offers: with the last one come all before it, of which some may take longer.
      await lastOffered.catch(() => {});
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
      for (const waiting of group) waiting.reject(error);
      return;
    }
    const middle = group.length >> 1;
    await settle(group.slice(0, middle), options);
    await settle(group.slice(middle), options);
    return;
  }
  group.forEach((waiting, index) => {
    waiting.resolve(results[index] as Result);
  });
}
