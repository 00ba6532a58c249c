/** Items by their times, earliest first; items of the same moment in the order of adding. */
interface Schedule<Item> {
  /** @param at milliseconds of one clock for all calls */
  add(at: number, item: Item): void;
  /** Undefined when empty. */
  readonly nextAt: number | undefined;
  /** The first item if it is due. */
  takeDue(now: number): Item | undefined;
  readonly size: number;
  clear(): void;
}

interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

export function createSchedule<Item>(): Schedule<Item> {
  /** Latest first, so that the due ones leave from the end. */
  const entries: Entry<Item>[] = [];

  return {
    add(at, item) {
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((entries[middle] as Entry<Item>).at > at) low = middle + 1;
        else high = middle;
      }
      entries.splice(low, 0, { at, item });
    },
    get nextAt() {
      return entries.at(-1)?.at;
    },
    takeDue(now) {
      const next = entries.at(-1);
      if (next === undefined || next.at > now) return undefined;
      entries.pop();
      return next.item;
    },
    get size() {
      return entries.length;
    },
    clear() {
      entries.length = 0;
    },
  };
}
