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
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Offers of the same turn of the loop join the first group instead of leaving it with a single item.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.length <= options.maxGroup ? queue : queue.slice(0, options.maxGroup);
      queue = group === queue ? [] : queue.slice(options.maxGroup);
      await settle(group, options.commit);
    }
    running = undefined;
  }

  return {
    offer(item) {
      if (queue.length >= options.maxWaiting)
        return Promise.reject(new BatcherFull('too many items wait for a commit'));
      return new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      while (running !== undefined) await running;
    },
    get waiting() {
      return queue.length;
    },
  };
}

/**
 * Commits a group; when it fails, halves it until the bad item fails alone and its neighbours are committed. A failure
 * that is not one item's fault (the database is gone) fails every item, after at most 2n-1 attempts.
 */
async function settle<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  commit: (group: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  try {
    const results = await commit(group.map((waiting) => waiting.item));
    group.forEach((waiting, index) => {
      waiting.resolve(results[index] as Result);
    });
  } catch (error) {
    if (group.length === 1) {
      group[0]?.reject(error);
      return;
    }
    const middle = group.length >> 1;
    await settle(group.slice(0, middle), commit);
    await settle(group.slice(middle), commit);
  }
}
