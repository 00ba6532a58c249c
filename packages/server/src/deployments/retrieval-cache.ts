/**
 * What was read from the database and may be needed again, bounded by number and by bytes. What has not been used since
 * it was last passed by makes room first ("clock"): a hit costs one look-up and one mark, where moving the entry to the
 * end of a list would cost three more map operations on every request.
 */
export interface RetrievalCache<Value> {
  get(key: string): Value | undefined;
  /** @param bytes about what it takes in memory; more than the cache may take at all is not kept */
  put(key: string, value: Value, bytes?: number): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
  readonly bytes: number;
}

/** A cache whose keys can be held together with the way to their values. */
export interface ReferredCache<Value> extends RetrievalCache<Value> {
  /** As `get`. */
  follow(reference: Reference<Value>): Value | undefined;
  /** The same one for all who ask while there is a value. */
  refer(key: string): Reference<Value>;
}

/**
 * A key with the way to its value: nothing is looked up while the value is there. It keeps no value in memory that the cache
 * has let go, and finds the one that has come instead. (The look-ups of an answer's facts took 1.3 µs of the main
 * thread where a hundred deployments asked in turn, next to nothing where one did.)
 */
export interface Reference<Value> {
  readonly key: string;
  /** Of the cache alone. */
  entry: Entry<Value> | undefined;
}

interface Entry<Value> {
  /** Undefined once it was let go. */
  value: Value | undefined;
  readonly bytes: number;
  used: boolean;
  reference: Reference<Value> | undefined;
}

/** So many entries in use are passed by before one of them has to go: an eviction never goes through the whole cache. */
export const mostPassedBy = 1_000;

export function createRetrievalCache<Value>(
  maxEntries: number,
  maxBytes: number = Number.POSITIVE_INFINITY,
): ReferredCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  // An iterator of a map goes on to what is added after it was made. To begin anew for each eviction would mean to
  // pass all the places of deleted entries, of which the front of a map then has as many as it has entries. But it is let
  // go when there has been room for long: inside V8 one that stands still keeps every table that the map has had since, with all
  // that was in them. (Measured with 100,000 deployments: 60,000 objects of 100 organizations.)
  let hand: MapIterator<[string, Entry<Value>]> | undefined;
  /** For how many puts in a row there was room. Entries of several sizes leave some now and then; that is no reason to begin anew. */
  let rested = 0;
  let bytes = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    bytes -= entry.bytes;
    entry.value = undefined;
    entries.delete(key);
  }

  function evictOne(): void {
    for (let passed = 0; entries.size > 0; ) {
      hand ??= entries.entries();
      const { done, value } = hand.next();
      if (done) {
        hand = undefined;
        continue;
      }
      const [key, entry] = value;
      if (!entry.used || passed === mostPassedBy) {
        remove(key);
        return;
      }
      entry.used = false;
      passed += 1;
    }
  }

  const fits = (size: number) => entries.size < maxEntries && bytes + size <= maxBytes;

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.used = true;
      return entry.value;
    },
    follow(reference) {
      if (reference.entry?.value === undefined) reference.entry = entries.get(reference.key);
      if (reference.entry === undefined) return undefined;
      reference.entry.used = true;
      return reference.entry.value;
    },
    refer(key) {
      const entry = entries.get(key);
      const reference = entry?.reference ?? { key, entry };
      if (entry !== undefined) entry.reference = reference;
      return reference;
    },
    put(key, value, size = 0) {
      remove(key);
      if (size > maxBytes) return;
      rested = fits(size) ? rested + 1 : 0;
      if (rested > mostPassedBy) hand = undefined;
      while (!fits(size)) evictOne();
      entries.set(key, { value, bytes: size, used: false, reference: undefined });
      bytes += size;
    },
    delete: remove,
    clear() {
      for (const entry of entries.values()) entry.value = undefined;
      entries.clear();
      hand = undefined;
      bytes = 0;
    },
    get size() {
      return entries.size;
    },
    get bytes() {
      return bytes;
    },
  };
}
