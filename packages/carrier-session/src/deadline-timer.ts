import type { MonotonicClock } from './monotonic-clock.ts';

/** One timer for many deadlines. Its callback works out which deadlines have passed, and arms the timer again. */
export class DeadlineTimer {
  readonly #clock: MonotonicClock;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(clock: MonotonicClock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Makes sure that it fires in `ms` milliseconds, or earlier. */
  armWithin(ms: number): void {
    const dueAt = this.#clock.now() + ms;
    if (dueAt >= this.#dueAt) return;
    this.#clear();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#readFirst(), Math.max(1, Math.ceil(ms)));
  }

  /** For good: it cannot be armed again. */
  stop(): void {
    this.#clear();
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  /** Responses that have arrived come first: a process that stood still must not take its own pause for the peer's. */
  #readFirst(): void {
    this.#immediate = setImmediate(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#onDue();
    });
  }
}
