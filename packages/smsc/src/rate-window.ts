const windowMs = 1000;

/** Lets so many through within a second, which begins with the first of them. */
export class RateWindow {
  readonly #most: number;
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param most Infinity if undefined */
  constructor(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  /** @param now milliseconds of a clock that never jumps */
  take(now: number): boolean {
    if (now - this.#startedAt >= windowMs) {
      this.#startedAt = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#most;
  }
}
