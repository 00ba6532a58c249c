/** Things to do at their times, earliest first; those of the same moment in the order in which they were added. */
export interface Schedule<Item> {
  /** @param at milliseconds of any clock that all calls use */
  add(at: number, item: Item): void;
  /** Undefined when nothing is left. */
  readonly nextAt: number | undefined;
  /** Takes the first one if it is due. */
  takeDue(now: number): Item | undefined;
  readonly size: number;
  clear(): void;
}

interface Entry<Item> {
  readonly at: number;
  readonly order: number;
  readonly item: Item;
}

/** A binary heap: the entry at n comes before those at 2n+1 and 2n+2. */
export function createSchedule<Item>(): Schedule<Item> {
  let heap: Entry<Item>[] = [];
  let added = 0;

  const isBefore = (a: Entry<Item>, b: Entry<Item>) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function rise(entry: Entry<Item>): void {
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Entry<Item>;
      if (isBefore(parent, entry)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  function sink(entry: Entry<Item>): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const isRight = right < heap.length && isBefore(heap[right] as Entry<Item>, heap[left] as Entry<Item>);
      const child = heap[isRight ? right : left] as Entry<Item>;
      if (isBefore(entry, child)) break;
      heap[at] = child;
      at = isRight ? right : left;
    }
    heap[at] = entry;
  }

  return {
    add(at, item) {
      rise({ at, order: added++, item });
    },
    get nextAt() {
      return heap[0]?.at;
    },
    takeDue(now) {
      const [first] = heap;
      if (first === undefined || first.at > now) return undefined;
      const last = heap.pop();
      if (last !== undefined && last !== first) sink(last);
      return first.item;
    },
    get size() {
      return heap.length;
    },
    clear() {
      heap = [];
    },
  };
}
