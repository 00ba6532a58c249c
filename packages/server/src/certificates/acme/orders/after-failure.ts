import { orderSpacingMs } from './next-step.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** After all authorities of the list have failed once, twice, … */
const waitsMs = [10 * minuteMs, 30 * minuteMs, hourMs, 2 * hourMs, 4 * hourMs, 8 * hourMs, 12 * hourMs] as const;

export interface FailedRequest {
  /** How many authorities it may ask. */
  readonly authorities: number;
  /** The place of the one that failed. */
  readonly authorityIndex: number;
  /** Orders in a row that have failed, this one included. */
  readonly attempts: number;
  /** When an order for these names was last placed with the authority that comes next; null: never. */
  readonly lastIntentAt: (authorityIndex: number) => number | null;
  /** As the authority that failed asked for. */
  readonly retryAfterMs: number | null;
}

export interface NextTry {
  readonly authorityIndex: number;
  readonly at: number;
  /** Whether every authority of the list has had its turn: then people are told that it failed. */
  readonly isRoundOver: boolean;
}

/** When an order follows one that failed, and with which authority. */
export function afterFailure(request: FailedRequest, now: number): NextTry {
  const { authorities, attempts, retryAfterMs } = request;
  const authorityIndex = (request.authorityIndex + 1) % authorities;
  const isRoundOver = attempts % authorities === 0;
  const rounds = Math.ceil(attempts / authorities);
  const wait = isRoundOver ? (waitsMs[Math.min(rounds, waitsMs.length) - 1] ?? hourMs) : 0;
  const asked = authorities === 1 ? (retryAfterMs ?? 0) : 0;
  const last = request.lastIntentAt(authorityIndex);
  const spaced = last === null ? 0 : last + orderSpacingMs;
  return { authorityIndex, at: Math.max(now + wait, now + asked, spaced), isRoundOver };
}
