import type { SubmitResult } from './carrier.ts';

/** How fast a carrier gets parts. Times are milliseconds of a monotonic clock. */
export interface SubmitPace {
  /** The most submits at once: 1 to the carrier's own window. */
  readonly window: number;
  /** No submit before this time. */
  readonly pausedUntil: number;
  /** Submits in a row that found no link or a faulty carrier. */
  readonly failures: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export function fullPace(window: number): SubmitPace {
  return { window, pausedUntil: 0, failures: 0 };
}

/**
 * Throttled halves the window, a success adds one. A failure pauses everything for 1 s, 2 s, 4 s … 60 s, and the window
 * is 1 until a submit succeeds. An unanswered submit changes nothing. @param window the carrier's own
 */
export function nextPace(pace: SubmitPace, result: SubmitResult['kind'], window: number, now: number): SubmitPace {
  switch (result) {
    case 'accepted':
    case 'refused':
      return { window: pace.failures > 0 ? window : Math.min(window, pace.window + 1), pausedUntil: 0, failures: 0 };
    case 'throttled':
      return { window: Math.max(1, pace.window >> 1), pausedUntil: 0, failures: 0 };
    case 'failed': {
      // Submits in flight when the first one failed tell nothing new.
      if (now < pace.pausedUntil) return pace;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(pace.failures, 10));
      return { window: 1, pausedUntil: now + pauseMs, failures: pace.failures + 1 };
    }
    case 'unanswered':
      return pace;
  }
}
