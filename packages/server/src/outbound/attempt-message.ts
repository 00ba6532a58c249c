import type { Outcome } from './outcome.ts';

/**
 * What travels between the main thread and that of attempts. Attempts and outcomes go by groups, each group as one JSON
 * text: an attempt of fifty takes both ends 0.5 µs so, and 0.65 copied value by value.
 */
export type ToAttempts =
  | readonly ['begin', group: string]
  /** Ends all attempts that were begun under this number as `cutOff`. */
  | readonly ['cutOff', signal: number];

/** A group of attempts to begin. */
export interface AttemptGroup {
  /** When the first of them was given. */
  readonly orderedAt: SharedMoment;
  /** The ports on which this process listens at the moment. */
  readonly ownPorts: readonly number[];
  readonly attempts: readonly AttemptOrder[];
}

export type AttemptOrder = readonly [
  /** Which one it is; free for another one once its outcome has come. */
  slot: number,
  /** The number of the signal that cuts it off. */
  signal: number,
  timeoutMs: number,
  origin: string,
  path: string,
  query: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
];

/** The message from the thread of attempts: a list of these as JSON text. */
export type AttemptEnd = readonly [slot: number, outcome: Outcome];

export interface AttemptThreadSetup {
  readonly allowNetworks: readonly string[];
  readonly maxIdle: number;
  /**
   * An attempt that took longer than this, in milliseconds, to reach the thread is `cutOff` instead of begun: the
   * process was paused, and another server may hold the lease. It equals the time for which a lease is still valid
   * after the engine stops giving it out (push-engine.ts).
   */
  readonly staleAfterMs: number;
}

/** One moment by both clocks, as in runtime/lease.ts; by clocks that all threads share, which `performance.now` is not. */
export interface SharedMoment {
  readonly now: number;
  readonly monotonic: number;
}

export function sharedMoment(): SharedMoment {
  return { now: Date.now(), monotonic: Number(process.hrtime.bigint()) / 1e6 };
}
