import { Unavailable } from './unavailable.ts';

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
  /** Waits before a group is taken, where nobody waits for the result: fewer, larger commits. */
  readonly gather?: () => Promise<void>;
  /**
   * How many groups may be under way at once; 1 unless told. With 2, the writer has work while the answers of one group go
   * out. Groups under way must not depend on each other.
   */
  readonly underWay?: number;
}

/** So many wait that the next offer is refused. */
export class BatcherFull extends Unavailable {
  override readonly name = 'BatcherFull';

  override get retryAfterSeconds(): number {
    return 1;
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Fewer wait for the group under way to end: a commit of their own would cost more than it saves. */
const worthSecondGroup = 16;

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { maxGroup, maxWaiting, underWay = 1, gather } = options;
  const queue: Waiting<Item, Result>[] = [];
  /** Those under way, the oldest first. */
  const groups: { readonly size: number; readonly ended: Promise<void> }[] = [];
  let writers = 0;

  /** Counted with all groups but the oldest: groups sent ahead wait too. */
  const countWaiting = () => groups.reduce((sum, { size }, index) => (index === 0 ? sum : sum + size), queue.length);

  /** Writes group after group as long as there is one to write. */
  async function write(): Promise<void> {
    // Offers of the same turn of the loop join the group instead of leaving it with a single item.
    await nextTurn();
    while (queue.length >= (writers > 1 ? worthSecondGroup : 1)) {
      await gather?.();
      const items = queue.splice(0, maxGroup);
      const group = { size: items.length, ended: settle(items, options) };
      groups.push(group);
      await group.ended;
      groups.splice(groups.indexOf(group), 1);
    }
    writers -= 1;
  }

  return {
    offer(item) {
      if (countWaiting() >= maxWaiting) return Promise.reject(new BatcherFull('too many items wait for a commit'));
      const settled = new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
      });
      if (writers === 0 || (writers < underWay && queue.length >= worthSecondGroup)) {
        writers += 1;
        void write();
      }
      return settled;
    },
    async drain() {
      // Taken in the order of the offers, so with the last one all are.
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
    results = await options.commit(group.map(({ item }) => item));
  } catch (error) {
    if (group.length === 1 || options.isOutage?.(error) === true) {
      for (const { reject } of group) reject(error);
      return;
    }
    const middle = group.length >> 1;
    await settle(group.slice(0, middle), options);
    await settle(group.slice(middle), options);
    return;
  }
  group.forEach(({ resolve }, index) => {
    resolve(results[index] as Result);
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
