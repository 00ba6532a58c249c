import { Unreadable } from './der/unreadable.ts';

/** The cost limit of one import. A file states its own iteration counts, and a hostile file the highest, many times. */
export class ImportBudget {
  #left: number;

  /** @param iterations hash iterations in all; the default takes a few seconds of one core */
  constructor(iterations = 4_000_000) {
    this.#left = iterations;
  }

  /** @throws Unreadable `too_costly` when one derivation exceeds its own limit, or all together exceed the budget */
  spend(iterations: number, limit: number): void {
    if (iterations > limit || iterations > this.#left) {
      throw new Unreadable('too_costly', 'too_many_iterations');
    }
    this.#left -= iterations;
  }
}

/** Lets other work of the event loop go first. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
