import { mostPassedBy, type RetrievalCache } from './retrieval-cache.ts';

/**
 * A cache as `createRetrievalCache` makes it, bounded by number alone, of entries that are small and many: what an entry
 * holds lies in columns, by its place, and is made an object again when it is asked for. (Measured with 100,000 deployments
 * and their tokens: as objects in maps 430 bytes of the heap for each, which takes several times what it holds; so 130, and as many
 * beside it.)
 */
export function createPackedCache<Value>(
  maxEntries: number,
  keys: PlacedKeys,
  columns: Columns<Value>,
): RetrievalCache<Value> {
  const free: number[] = [];
  let marks = new Uint8Array(0);
  /** Places that were ever taken stand before this one. */
  let end = 0;
  let size = 0;
  let hand = 0;

  function removeAt(place: number): void {
    keys.removeAt(place);
    columns.forget(place);
    marks[place] = isFree;
    free.push(place);
    size -= 1;
  }

  /** What has not been used since it was last passed by makes room: see `createRetrievalCache`. */
  function evictOne(): void {
    for (let passed = 0; ; hand += 1) {
      if (hand >= end) hand = 0;
      if (marks[hand] === isFree) continue;
      if (marks[hand] === isHeld || passed === mostPassedBy) {
        removeAt(hand);
        // The place is taken again at once, by what is passed by once before its turn comes.
        hand += 1;
        return;
      }
      marks[hand] = isHeld;
      passed += 1;
    }
  }

  function takePlace(): number {
    const place = free.pop();
    if (place !== undefined) return place;
    if (end === marks.length) {
      const places = Math.min(maxEntries, Math.max(placesAtFirst, 2 * end));
      marks = larger(marks, new Uint8Array(places));
      keys.grow(places);
      columns.grow(places);
    }
    end += 1;
    return end - 1;
  }

  return {
    get(key) {
      const place = keys.find(key);
      if (place === nowhere) return undefined;
      marks[place] = isUsed;
      return columns.get(place);
    },
    put(key, value) {
      if (!keys.canHold(key)) throw new TypeError('this cache cannot hold such a key');
      const known = keys.find(key);
      if (known !== nowhere) removeAt(known);
      if (size >= maxEntries) evictOne();
      const place = takePlace();
      size += 1;
      marks[place] = isHeld;
      keys.add(key, place);
      columns.set(place, value);
    },
    delete(key) {
      const place = keys.find(key);
      if (place !== nowhere) removeAt(place);
    },
    clear() {
      for (let place = 0; place < end; place += 1) if (marks[place] !== isFree) removeAt(place);
    },
    get size() {
      return size;
    },
    bytes: 0,
  };
}

/** Of a place. */
const isFree = 0;
const isHeld = 1;
/** Held, and used since it was last passed by. */
const isUsed = 2;
const placesAtFirst = 256;
export const nowhere = -1;

/** Where each key has its place. */
export interface PlacedKeys {
  grow(places: number): void;
  canHold(key: string): boolean;
  /** @returns `nowhere` for a key that is not held */
  find(key: string): number;
  /** @param key none that is held, and one that can be */
  add(key: string, place: number): void;
  removeAt(place: number): void;
}

/** What is held at each place. */
export interface Columns<Value> {
  grow(places: number): void;
  get(place: number): Value;
  set(place: number, value: Value): void;
  /** Holds on to nothing of what was there. */
  forget(place: number): void;
}

export interface PlacedTexts extends PlacedKeys {
  /** What has its place there. */
  at(place: number): string | undefined;
}

/**
 * Texts that differ in their last characters, as ids do, and as a rule are held by others as well. (Not by a Map: it
 * takes several times the bytes, and lies in memory so that a look-up waits for three places instead of two.)
 */
export function placedTexts(): PlacedTexts {
  const texts: (string | undefined)[] = [];
  const lists = placeLists((place) => numberOf(texts[place] as string));
  return {
    grow: (places) => lists.grow(places),
    canHold: () => true,
    at: (place) => texts[place],
    find(text) {
      let place = lists.first(numberOf(text));
      while (place !== nowhere && texts[place] !== text) place = lists.next(place);
      return place;
    },
    add(text, place) {
      texts[place] = text;
      lists.add(place);
    },
    removeAt(place) {
      lists.remove(place);
      texts[place] = undefined;
    },
  };
}

/** Of a UUID more is not random. */
const numberedCharacters = 10;

function numberOf(text: string): number {
  let number = 0;
  for (let index = Math.max(0, text.length - numberedCharacters); index < text.length; index += 1) {
    number = (Math.imul(number, 31) + text.charCodeAt(index)) | 0;
  }
  return number >>> 0;
}

const hashBytes = 32;
const wordsOfHash = hashBytes / 4;

/** SHA-256 in hexadecimal, held as bytes. */
export function placedHashes(): PlacedKeys {
  const asked = Buffer.alloc(hashBytes);
  const askedWords = new Uint32Array(asked.buffer, asked.byteOffset, wordsOfHash);
  let words = new Uint32Array(0);
  const lists = placeLists((place) => words[wordsOfHash * place] as number);

  /** What is no such hash may be asked for, and is not held. */
  const isHash = (hash: string) => hash.length === 2 * hashBytes && asked.write(hash, 'hex') === hashBytes;

  function isAt(place: number): boolean {
    for (let index = 0; index < wordsOfHash; index += 1) {
      if (words[wordsOfHash * place + index] !== askedWords[index]) return false;
    }
    return true;
  }

  return {
    grow(places) {
      words = larger(words, new Uint32Array(wordsOfHash * places));
      lists.grow(places);
    },
    canHold: isHash,
    find(hash) {
      if (!isHash(hash)) return nowhere;
      let place = lists.first(askedWords[0] as number);
      while (place !== nowhere && !isAt(place)) place = lists.next(place);
      return place;
    },
    add(hash, place) {
      asked.write(hash, 'hex');
      words.set(askedWords, wordsOfHash * place);
      lists.add(place);
    },
    removeAt: (place) => lists.remove(place),
  };
}

/** Places by numbers of their keys: lists of those whose numbers are alike, as many as there are places. */
function placeLists(numberAt: (place: number) => number) {
  let firsts = new Int32Array(0);
  let nexts = new Int32Array(0);

  const listOf = (number: number) => number % firsts.length;

  function add(place: number): void {
    const list = listOf(numberAt(place));
    nexts[place] = firsts[list] as number;
    firsts[list] = place;
  }

  return {
    add,
    first: (number: number) => (firsts.length === 0 ? nowhere : (firsts[listOf(number)] as number)),
    next: (place: number) => nexts[place] as number,
    remove(place: number): void {
      const list = listOf(numberAt(place));
      let before = nowhere;
      let at = firsts[list] as number;
      while (at !== place) {
        // Without an end to look for, a fault elsewhere would keep the only loop busy for ever.
        if (at === nowhere) throw new RangeError(`place ${place} is in no list`);
        before = at;
        at = nexts[at] as number;
      }
      const next = nexts[place] as number;
      if (before === nowhere) firsts[list] = next;
      else nexts[before] = next;
    },
    grow(places: number): void {
      const before = nexts.length;
      const held = new Uint8Array(before);
      for (const first of firsts) {
        for (let place = first; place !== nowhere; place = nexts[place] as number) held[place] = 1;
      }
      nexts = new Int32Array(places).fill(nowhere);
      firsts = new Int32Array(places).fill(nowhere);
      for (let place = 0; place < before; place += 1) if (held[place] === 1) add(place);
    },
  };
}

export function larger<Items extends Float64Array | Uint32Array | Uint8Array>(items: Items, empty: Items): Items {
  empty.set(items);
  return empty;
}
