/** Whether it pays to wait for more of what is to be written together. */
export interface CompanyOptions {
  /** How many wait by now. */
  readonly waiting: () => number;
  /** So many fill a group: nobody waits for more. */
  readonly enough: number;
  /** How long one look at the crowd takes, milliseconds, and how many there are at most. */
  readonly stepMs: number;
  readonly steps: number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Waits as long as more come. It ends with the first step in which nobody came: those who were awaited wait themselves then,
 * such as a carrier that sends no more before we have answered.
 */
export async function awaitCompany({ waiting, enough, stepMs, steps, wait }: CompanyOptions): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const before = waiting();
    if (before >= enough) return;
    await wait(stepMs, never);
    if (waiting() <= before) return;
  }
}

const never = new AbortController().signal;
