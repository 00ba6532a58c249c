import { Unreadable } from './unreadable.ts';

/**
 * What one import may cost. A file names its own iteration counts, and a hostile one names the highest there are, several
 * times over; so each import has one budget for everything in it, checked before the work is begun.
 */
export class Effort {
  #left: number;

  /** @param iterations hash iterations in all; the default is some seconds of one core, off the event loop where possible. */
  constructor(iterations = 4_000_000) {
    this.#left = iterations;
  }

  /** @throws Unreadable `too_costly` when one derivation exceeds its own limit, or all together exceed the budget. */
  spend(iterations: number, limit: number): void {
    if (iterations > limit || iterations > this.#left) {
      throw new Unreadable('too_costly', 'too_many_iterations');
    }
    this.#left -= iterations;
  }
}

/** Lets everything else that waits on the event loop go first. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
