import { Unreadable } from './unreadable.ts';

/**
 * What one import may cost. A file names its own iteration counts, and a hostile one names the highest there are, several
 * times over; so each import has one budget for everything in it, checked before the work is begun.
 */
export class Effort {
  #left: number;
  readonly #signal: AbortSignal | undefined;

  /**
   * @param iterations hash iterations in all; the default is some seconds of one core, off the event loop where possible.
   * @param signal once it is aborted, the work ends with its reason
   */
  constructor(iterations = 4_000_000, signal?: AbortSignal) {
    this.#left = iterations;
    this.#signal = signal;
  }

  /** @throws Unreadable `too_costly` when one derivation exceeds its own limit, or all together exceed the budget. */
  spend(iterations: number, limit: number): void {
    this.#signal?.throwIfAborted();
    if (iterations > limit || iterations > this.#left) {
      throw new Unreadable('too_costly', 'too_many_iterations');
    }
    this.#left -= iterations;
  }

  /** Between two slices of the work: lets everything else go first. */
  async pause(): Promise<void> {
    await yieldToLoop();
    this.#signal?.throwIfAborted();
  }
}

/** Lets everything else that waits on the event loop go first. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
