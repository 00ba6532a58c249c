/** A map that is bounded by number and by bytes. A new entry takes the place of one that was not used lately. */
export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  /**
   * @param bytes about what it takes in memory
   * @returns false when it is larger than all of the map may be: then it is not kept
   */
  set(key: string, value: Value, bytes?: number): boolean;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
  readonly bytes: number;
}

export interface RecentlyUsedOptions<Value> {
  readonly maxEntries: number;
  readonly maxBytes?: number | undefined;
  /** Called for each entry that is deleted, replaced or evicted; not by `clear`. */
  readonly onRemoved?: (key: string, value: Value) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Since it was last passed by. */
  used: boolean;
}

/** One eviction spares at most so many used entries: it never goes through the whole of a large map. */
const sparedAtMost = 1_000;
/** The part of the room that one eviction makes: each begins with the places of all entries deleted before. */
const shareFreed = 1 / 1_000;

/** A hit only marks its entry ("second chance"): moving it to the end would change the map at every request. */
export function createRecentlyUsed<Value>(options: RecentlyUsedOptions<Value>): RecentlyUsed<Value> {
  const { maxEntries, maxBytes = Number.MAX_SAFE_INTEGER, onRemoved } = options;
  const entries = new Map<string, Entry<Value>>();
  let bytes = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= entry.bytes;
    onRemoved?.(key, entry.value);
  }

  function evict(needed: number): void {
    const entriesLeft = maxEntries - Math.max(1, Math.floor(maxEntries * shareFreed));
    const bytesLeft = maxBytes - Math.max(needed, maxBytes * shareFreed);
    let spared = 0;
    for (const [key, entry] of entries) {
      if (entries.size <= entriesLeft && bytes <= bytesLeft) return;
      if (!entry.used || spared === sparedAtMost) {
        remove(key);
        continue;
      }
      entry.used = false;
      spared += 1;
      // To the end, where this loop comes to it again if it must.
      entries.delete(key);
      entries.set(key, entry);
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.used = true;
      return entry.value;
    },
    set(key, value, size = 0) {
      remove(key);
      if (size > maxBytes) return false;
      if (entries.size >= maxEntries || bytes + size > maxBytes) evict(size);
      entries.set(key, { value, bytes: size, used: false });
      bytes += size;
      return true;
    },
    delete: remove,
    clear() {
      entries.clear();
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
