import { type Pace, paceOf } from './lane.ts';
import type { PushLane } from './push-lane.ts';
import { changePace, freeSlots, holdSlots, openSlots, type SlotBudget } from './slot-budget.ts';

const paces: readonly Pace[] = ['fast', 'new', 'slow'];

/**
 * Lanes that would start an attempt and wait for a slot, in the order of their requests. Each lane gets one slot and
 * goes back to the end. Lanes of a pace whose share of slots is used up wait apart, so that they cost no look
 * meanwhile.
 */
export class ReadyLanes {
  #budget: SlotBudget;
  readonly #ready: Readonly<Record<Pace, Set<PushLane>>> = { fast: new Set(), new: new Set(), slow: new Set() };

  constructor(slots: number) {
    this.#budget = openSlots(slots);
  }

  add(lane: PushLane): void {
    this.#ready[lane.pace].add(lane);
  }

  remove(lane: PushLane): void {
    this.#ready[lane.pace].delete(lane);
  }

  /** Whose turn it is; it is taken out. */
  next(): PushLane | undefined {
    for (const pace of paces) {
      const [lane] = this.#ready[pace];
      if (lane === undefined || freeSlots(this.#budget, pace) === 0) continue;
      this.#ready[pace].delete(lane);
      return lane;
    }
    return undefined;
  }

  /** An attempt of the lane begins (1) or has ended (-1). */
  hold(lane: PushLane, count: 1 | -1): void {
    this.#budget = holdSlots(this.#budget, lane.pace, count);
  }

  /** Books the lane's running attempts by the pace that it has now. */
  repace(lane: PushLane, now: number): void {
    const pace = paceOf(lane.state, now);
    if (pace === lane.pace) return;
    const wasReady = this.#ready[lane.pace].delete(lane);
    this.#budget = changePace(this.#budget, lane.pace, pace, lane.state.running);
    lane.pace = pace;
    if (wasReady) this.add(lane);
  }
}
