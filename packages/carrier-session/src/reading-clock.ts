import type { MonotonicClock } from './monotonic-clock.ts';

/**
 * The clock of a session's time limits. It stands still while the session does not read, because then responses that
 * have arrived are not seen. A single pause stops it for at most `longestPauseMs`, so that every wait ends.
 */
export class ReadingClock {
  readonly #clock: MonotonicClock;
  readonly #longestPauseMs: number;
  #pausedAt: number | undefined;
  #stoodStillMs = 0;

  constructor(clock: MonotonicClock, longestPauseMs: number) {
    this.#clock = clock;
    this.#longestPauseMs = longestPauseMs;
  }

  now(): number {
    return this.#clock.now() - this.#stoodStillMs - this.#presentPauseMs();
  }

  pause(): void {
    this.#pausedAt ??= this.#clock.now();
  }

  resume(): void {
    this.#stoodStillMs += this.#presentPauseMs();
    this.#pausedAt = undefined;
  }

  /** Milliseconds until this clock shows `time`, if a pause lasts on. */
  msUntil(time: number): number {
    const left = this.#pausedAt === undefined ? 0 : this.#longestPauseMs - this.#presentPauseMs();
    return time - this.now() + left;
  }

  #presentPauseMs(): number {
    return this.#pausedAt === undefined ? 0 : Math.min(this.#clock.now() - this.#pausedAt, this.#longestPauseMs);
  }
}
