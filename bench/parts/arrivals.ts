import { type Received, stampMs } from './child-link.ts';

/** Counts arrivals, and notes the first one of each numbered event while it watches. */
export interface Arrivals {
  /** @param numberOf tells the number of the event that has arrived */
  note(numberOf: () => number): void;
  received(): Received;
  /** As the question of the same name. */
  watch(events: number): readonly number[];
}

export function countArrivals(): Arrivals {
  let requests = 0;
  let lastAt = 0;
  let arrivals = new Float64Array(0);
  return {
    note(numberOf) {
      requests += 1;
      lastAt = stampMs();
      if (arrivals.length === 0) return;
      const event = numberOf();
      if (arrivals[event] === 0) arrivals[event] = lastAt;
    },
    received: () => ({ requests, lastAt }),
    watch(events) {
      const before = [...arrivals];
      arrivals = new Float64Array(events);
      return before;
    },
  };
}
