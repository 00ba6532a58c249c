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
   * Takes many items that come at once after a pause by halves. For callers in step: answered together, they come again
   * together, and all would wait for each commit while nothing else is done. So one half is served while the other is
   * written, and it stays so (hand-outs over 64 connections: 27 % more a second).
   */
  readonly halveFirst?: boolean;
}

export class BatcherFull extends Error {
  override readonly name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let running = false;
  let lastOffered: Promise<unknown> = Promise.resolve();

  async function run(): Promise<void> {
    running = true;
    // Offers of the same turn of the loop join the first group instead of leaving it with a single item.
    await new Promise(setImmediate);
    let size = firstGroup(queue.length, options);
    while (queue.length > 0) {
      await options.gather?.();
      const group = queue.length <= size ? queue : queue.slice(0, size);
      queue = group === queue ? [] : queue.slice(size);
      size = options.maxGroup;
      await settle(group, options);
    }
    running = false;
  }

  return {
    offer(item) {
      if (queue.length >= options.maxWaiting)
        return Promise.reject(new BatcherFull('too many items wait for a commit'));
      const settled = new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        if (!running) void run();
      });
      lastOffered = settled;
      return settled;
    },
    async drain() {
      // Items are settled in the order of their offers: when the last one is, all before it are.
      await lastOffered.catch(() => {});
    },
    get waiting() {
      return queue.length;
    },
  };
}

/** So few are better written together. */
const fewItems = 16;

function firstGroup(waiting: number, { maxGroup, halveFirst }: { maxGroup: number; halveFirst?: boolean }): number {
  return halveFirst === true && waiting >= fewItems ? Math.min(maxGroup, Math.ceil(waiting / 2)) : maxGroup;
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
