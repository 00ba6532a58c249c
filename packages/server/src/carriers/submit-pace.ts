import type { SubmitResult } from './carrier.ts';

/** When a carrier that faults is left in peace. Throttling is `submit-rate.ts`. Times are of a monotonic clock. */
export interface SubmitPace {
  /** No submit before this time. */
  readonly pausedUntil: number;
  /** Pauses since the last submit that was taken. While there are any, one submit at a time tries the carrier. */
  readonly failures: number;
  /** Refusals for now in a row. */
  readonly refusals: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Fewer refusals for now concern the messages. So many in a row concern the carrier. */
const manyRefusals = 10;

/** Whether the carrier refuses everything: its parts go to others meanwhile, where there are any. */
export function isResting({ refusals, pausedUntil }: SubmitPace, now: number): boolean {
  return refusals >= manyRefusals && now < pausedUntil;
}

export const fullPace: SubmitPace = { pausedUntil: 0, failures: 0, refusals: 0 };

/** A carrier without a link, or which refuses everything, gets nothing for 1 s, 2 s, 4 s … 60 s. */
export function nextPace(pace: SubmitPace, result: SubmitResult['kind'], now: number): SubmitPace {
  switch (result) {
    case 'accepted':
    case 'refused':
      return fullPace;
    case 'refused-for-now': {
      const refusals = pace.refusals + 1;
      return refusals < manyRefusals ? { ...pace, refusals } : paused({ ...pace, refusals }, now);
    }
    case 'failed':
      return paused(pace, now);
    case 'throttled':
    case 'unanswered':
      return pace;
  }
}

/** Submits in flight when the first one failed tell nothing new. */
function paused(pace: SubmitPace, now: number): SubmitPace {
  if (now < pace.pausedUntil) return pace;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(pace.failures, 10));
  return { ...pace, pausedUntil: now + pauseMs, failures: pace.failures + 1 };
}
