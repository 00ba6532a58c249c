import { createBatcher } from '../runtime/batcher.ts';
import { createRecentlyUsed } from '../runtime/recently-used.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ChangedKind } from './change-log.ts';
import { isUnavailable } from './sql/database-errors.ts';

/** Memory may decide for so long after it was last proven true (contract §1, "Revocation is never stale"). */
export const provenForMs = 1_000;

/** A change as facts name it that rest on it. */
export type ChangeName = `${ChangedKind}:${string}`;

/**
 * Facts that requests ask for all the time, in memory by their keys. The change feed keeps them true: a change makes
 * every server forget the facts that rest on it, and the next request that needs one reads it again. A missing fact is
 * not remembered, because no change would tell when it comes.
 */
export interface FactMemory<Fact> {
  /** What memory holds. It may decide only while it is proven. */
  find(key: string): Fact | undefined;
  /**
   * Reads a fact from the database, together with the others that are asked for at the moment.
   * @param suspect asked for by a client that has presented too many wrong tokens. Suspects share a short queue, so that
   *   a flood of invented tokens keeps no other client waiting.
   * @throws BatcherFull, and what the database throws
   */
  load(key: string, suspect?: boolean): Promise<Fact | undefined>;
  /** Makes sure that memory was true within the last second. */
  prove(): Promise<void>;
  /** `prove`, then `find` or else `load`. */
  recall(key: string): Promise<Fact | undefined>;
  readonly size: number;
  /** What the facts take in memory, about. */
  readonly bytes: number;
}

export interface FactMemoryOptions<Fact> {
  readonly feed: Pick<ChangeFeed, 'listen' | 'isProven' | 'sync'>;
  /** Changes of this kind name facts by their keys. */
  readonly kind?: ChangedKind;
  /** All else that a fact rests on. The same names each time for the same fact. */
  readonly restsOn?: (fact: Fact) => readonly ChangeName[];
  /** Leaves out what is not there. A failure that only one of the keys causes keeps no other from being read. */
  readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Fact>>;
  /** When there are more, those that were not used lately are forgotten. */
  readonly maxEntries: number;
  readonly maxBytes?: number;
  readonly bytesOf?: (fact: Fact) => number;
  /** Queries for loads at once, besides one for suspects: where one hangs, the next goes on. */
  readonly loadsAtOnce?: number;
}

const loadsPerQuery = 250;
const loadsWaiting = 10_000;
const suspectLoadsPerQuery = 50;
const suspectLoadsWaiting = 100;

export function createFactMemory<Fact>(options: FactMemoryOptions<Fact>): FactMemory<Fact> {
  const { feed, kind, restsOn = () => [], read, maxEntries, maxBytes, bytesOf = () => 0, loadsAtOnce = 1 } = options;
  const facts = createRecentlyUsed<Fact>({ maxEntries, maxBytes, onRemoved: unlink });
  /** The keys of the facts that rest on a change. So forgetting does not go through all of a large memory. */
  const resting = new Map<ChangeName, Set<string>>();
  /** Raised by every change. What was read before a change must not be kept after it. */
  let generation = 0;

  feed.listen((changes) => {
    generation += 1;
    if (changes === undefined) {
      facts.clear();
      resting.clear();
    }
    for (const change of changes ?? []) {
      if (change.kind === kind) facts.delete(change.subjectId);
      for (const key of resting.get(`${change.kind}:${change.subjectId}`) ?? []) facts.delete(key);
    }
  });

  function keep(key: string, fact: Fact): void {
    if (!facts.set(key, fact, bytesOf(fact))) return;
    for (const name of restsOn(fact)) {
      const keys = resting.get(name);
      if (keys === undefined) resting.set(name, new Set([key]));
      else keys.add(key);
    }
  }

  function unlink(key: string, fact: Fact): void {
    for (const name of restsOn(fact)) {
      const keys = resting.get(name);
      keys?.delete(key);
      if (keys?.size === 0) resting.delete(name);
    }
  }

  async function readAll(keys: readonly string[]): Promise<(Fact | undefined)[]> {
    const startedIn = generation;
    const found = await read([...new Set(keys)]);
    if (startedIn === generation) for (const [key, fact] of found) keep(key, fact);
    return keys.map((key) => found.get(key));
  }

  const batcherOf = (maxGroup: number, maxWaiting: number, underWay: number) =>
    createBatcher<string, Fact | undefined>({
      commit: readAll,
      maxGroup,
      maxWaiting,
      underWay,
      isOutage: isUnavailable,
    });
  const loads = batcherOf(loadsPerQuery, loadsWaiting, loadsAtOnce);
  const suspectLoads = batcherOf(suspectLoadsPerQuery, suspectLoadsWaiting, 1);

  const memory: FactMemory<Fact> = {
    find: facts.get,
    load: (key, suspect = false) => (suspect ? suspectLoads : loads).offer(key),
    async prove() {
      if (!feed.isProven(provenForMs)) await feed.sync();
    },
    async recall(key) {
      await memory.prove();
      return memory.find(key) ?? memory.load(key);
    },
    get size() {
      return facts.size;
    },
    get bytes() {
      return facts.bytes;
    },
  };
  return memory;
}
