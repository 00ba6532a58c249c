/**
 * Slots bound how many attempts of all lanes run at once, and so sockets and memory. Lanes known to be slow get at most
 * a quarter of them together, lanes of unknown pace at most half: a quarter is always left for receivers that answer. A
 * lane that turns slow keeps its slots until its attempts end; until then slow lanes get no others.
 */
import type { Pace } from './lane.ts';

export interface SlotBudget {
  /** All slots, at least 4. */
  readonly cap: number;
  /** Slots in use by the pace of the lane that holds them. */
  readonly held: Readonly<Record<Pace, number>>;
}

export function openSlots(cap: number): SlotBudget {
  return { cap: Math.max(4, Math.floor(cap)), held: { new: 0, fast: 0, slow: 0 } };
}

/** How many slots a lane of this pace may take now. */
export function freeSlots({ cap, held }: SlotBudget, pace: Pace): number {
  const free = cap - held.new - held.fast - held.slow;
  if (pace === 'fast') return Math.max(0, free);
  const share = Math.floor(cap / (pace === 'slow' ? 4 : 2));
  return Math.max(0, Math.min(free, share - held[pace]));
}

/** Takes slots (a positive count) or gives them back (a negative one). */
export function holdSlots(budget: SlotBudget, pace: Pace, count: number): SlotBudget {
  return { ...budget, held: { ...budget.held, [pace]: budget.held[pace] + count } };
}

/** A lane that holds `count` slots has changed its pace. */
export function changePace(budget: SlotBudget, from: Pace, to: Pace, count: number): SlotBudget {
  return holdSlots(holdSlots(budget, from, -count), to, count);
}
