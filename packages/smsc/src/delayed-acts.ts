const tickMs = 5;

/** Acts that come later. Those of the same few milliseconds share a timer, because there may be 100,000 of them. */
export class DelayedActs {
  readonly #now: () => number;
  readonly #ticks = new Map<number, { readonly acts: (() => void)[]; readonly timer: NodeJS.Timeout }>();

  /** @param now milliseconds of a clock that never jumps */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Those of one tick happen in the order in which they were added. */
  add(afterMs: number, act: () => void): void {
    const now = this.#now();
    const number = Math.ceil((now + afterMs) / tickMs);
    const tick = this.#ticks.get(number);
    if (tick !== undefined) {
      tick.acts.push(act);
      return;
    }
    const timer = setTimeout(() => this.#run(number), Math.max(0, number * tickMs - now));
    this.#ticks.set(number, { acts: [act], timer });
  }

  /** Forgets all of them. */
  stop(): void {
    for (const { timer } of this.#ticks.values()) clearTimeout(timer);
    this.#ticks.clear();
  }

  #run(number: number): void {
    const acts = this.#ticks.get(number)?.acts ?? [];
    this.#ticks.delete(number);
    for (const act of acts) act();
  }
}
