import { isDelivered, type Outcome } from '../../outbound/outcome.ts';
import { parseRetryAfter } from '../../outbound/retry-after.ts';

export interface RetryPolicy {
  /** Attempts after the first, 0 to 10. */
  readonly retries: number;
  /** Milliseconds between an outcome and the next attempt, by retry; the last one repeats. At least one. */
  readonly waits: readonly number[];
}

/** The longest pause that a receiver can ask for. */
export const MAXIMUM_PAUSE_MS = 3_600_000;

/** No push is due later than so long after it was decided, whatever comes of an attempt. */
export function longestWait(waits: readonly number[]): number {
  return Math.max(MAXIMUM_PAUSE_MS, ...waits.map((wait) => spread(wait, () => 1)));
}

/** What becomes of a push after an attempt. */
export type NextStep =
  | { readonly kind: 'delivered' }
  /** `pauseLaneUntil`: the receiver asked us to stay away until then, with all its pushes. Epoch ms. */
  | { readonly kind: 'retryAt'; readonly at: number; readonly pauseLaneUntil?: number }
  | { readonly kind: 'failed'; readonly pauseLaneUntil?: number }
  /** We ended the attempt ourselves: nothing is recorded, and the push goes back to its lane as it came. */
  | { readonly kind: 'laneStep' };

/**
 * @param recordedAttempts outcomes recorded for this push since its budget began, without this one
 * @param now epoch ms
 * @param random from [0, 1): spreads each wait by ±20 %
 */
export function nextStep(
  outcome: Outcome,
  recordedAttempts: number,
  policy: RetryPolicy,
  now: number,
  random: () => number,
): NextStep {
  if (outcome.kind === 'cutOff') return { kind: 'laneStep' };
  if (isDelivered(outcome)) return { kind: 'delivered' };
  const until = pauseOf(outcome, now);
  const pause = until === undefined ? {} : { pauseLaneUntil: until };
  if (recordedAttempts >= policy.retries) return { kind: 'failed', ...pause };
  const wait = policy.waits[Math.min(recordedAttempts, policy.waits.length - 1)] ?? 0;
  return { kind: 'retryAt', at: Math.max(now + spread(wait, random), until ?? 0), ...pause };
}

/** A wait drawn anew from 80 to 120 % of its length, so that pushes that failed together do not return together. */
export function spread(ms: number, random: () => number): number {
  return Math.round(ms * (0.8 + 0.4 * random()));
}

/** Retry-After counts with the two statuses that it was made for (RFC 9110 §15.6.4, RFC 6585 §4). */
function pauseOf(outcome: Outcome, now: number): number | undefined {
  if (outcome.kind !== 'answered' || outcome.retryAfter === undefined) return undefined;
  if (outcome.status !== 429 && outcome.status !== 503) return undefined;
  const asked = parseRetryAfter(outcome.retryAfter, now);
  return asked === undefined || asked <= now ? undefined : Math.min(asked, now + MAXIMUM_PAUSE_MS);
}
