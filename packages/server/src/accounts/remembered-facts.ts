import type { ChangeFeed } from '../database/change-feed.ts';
import type { Change } from '../database/change-log.ts';
import { isUnavailable } from '../database/connect.ts';
import { BatcherFull, createBatcher } from '../runtime/batcher.ts';
import { Problem } from '../runtime/problem.ts';

/**
 * Facts that every request asks for, in memory by their key. Bounded: the oldest make room. Kept true by the change feed:
 * what changed is forgotten and read anew by the next request that needs it, on every server. What is not there is
 * not remembered: nothing would tell when it comes.
 */
export interface RememberedFacts<Fact> {
  /** @throws Problem `service_unavailable` when what is in memory cannot be proven true, or the database cannot be read */
  find(key: string): Promise<Fact | undefined>;
  /** Reads it again, whatever memory holds. */
  findAnew(key: string): Promise<Fact | undefined>;
  readonly size: number;
}

export interface RememberedFactsOptions<Fact> {
  readonly feed: Pick<ChangeFeed, 'listen' | 'isProven' | 'sync'>;
  /** One fact for each key, in order. */
  readonly read: (keys: readonly string[]) => Promise<readonly (Fact | undefined)[]>;
  /** Names of the changes that a fact rests on: `kind:subject`. */
  readonly restsOn: (key: string, fact: Fact) => readonly string[];
  readonly maxEntries: number;
}

/** What is in memory may decide for so long after it was last proven true (contract §1, "Revocation is never stale"). */
const provenForMs = 1_000;
const readsPerQuery = 250;
const readsWaiting = 10_000;

export function createRememberedFacts<Fact>(options: RememberedFactsOptions<Fact>): RememberedFacts<Fact> {
  const { feed, read, restsOn, maxEntries } = options;
  const known = new Map<string, Fact>();
  /** Raised by every change: what was read before it must not be kept after it. */
  let generation = 0;

  feed.listen((changes) => {
    generation += 1;
    if (changes === undefined) known.clear();
    else forget(changes);
  });

  function forget(changes: readonly Change[]): void {
    const changed = new Set(changes.map((change) => `${change.kind}:${change.subjectId}`));
    for (const [key, fact] of known) if (restsOn(key, fact).some((name) => changed.has(name))) known.delete(key);
  }

  function keep(key: string, fact: Fact): void {
    const oldest = known.keys().next().value;
    if (known.size >= maxEntries && !known.has(key) && oldest !== undefined) known.delete(oldest);
    known.set(key, fact);
  }

  const loads = createBatcher<string, Fact | undefined>({
    async commit(keys) {
      const startedIn = generation;
      const facts = await read(keys);
      if (startedIn === generation) {
        for (const [index, fact] of facts.entries()) if (fact !== undefined) keep(keys[index] ?? '', fact);
      }
      return facts;
    },
    maxGroup: readsPerQuery,
    maxWaiting: readsWaiting,
    isOutage: isUnavailable,
  });

  const findAnew = (key: string) => orUnavailable(loads.offer(key));

  return {
    async find(key) {
      if (!feed.isProven(provenForMs)) await orUnavailable(feed.sync());
      return known.get(key) ?? findAnew(key);
    },
    findAnew,
    get size() {
      return known.size;
    },
  };
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUnavailable(error) || error instanceof BatcherFull)
      throw new Problem('service_unavailable', { cause: error });
    throw error;
  }
}
