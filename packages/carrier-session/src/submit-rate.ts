/**
 * How fast a link submits. Pure: each event gives the rate after it. Times are milliseconds of a clock that never jumps.
 *
 * A token bucket keeps to the rate that is set. When the carrier throttles, the whole link pauses, and goes on with
 * half of its rate; from then on the rate grows by the same amount each second, up to the rate that is set (additive
 * increase, multiplicative decrease, as in RFC 5681 §3.1).
 */
export interface SubmitRate {
  /** Submits per second as set. Infinity: no limit. */
  readonly configured: number;
  /** Submits per second at `changedAt`. */
  readonly rate: number;
  /** By how much the rate grows each second. */
  readonly growth: number;
  readonly changedAt: number;
  readonly tokens: number;
  readonly filledAt: number;
  /** About how many were submitted in the last second: each counts less as it gets older. */
  readonly lately: number;
  readonly pausedUntil: number;
  /** When the rate was last halved. */
  readonly halvedAt: number;
}

export type RateEvent =
  | { readonly kind: 'submitted' }
  /** The carrier refused a submit of that time as too fast. */
  | { readonly kind: 'throttled'; readonly sentAt: number }
  /** congestion_state in the response to a submit of that time, 0 to 100 (SMPP 5.0 §4.8.4.18). */
  | { readonly kind: 'congestion'; readonly level: number; readonly sentAt: number };

export const throttlePauseMs = 1000;
export const slowestRate = 1;
/** The rate needs this time to grow back after one halving. */
const recoverySeconds = 10;
/** The rate needs no more than this time after many halvings. */
const longestRecoverySeconds = 100;
/** A link without a limit is back at this many submits per second after the longest recovery. */
const unlimitedRecovery = 1_000;
/** After a late timer the link may send the submits of this time at once. */
const burstSeconds = 0.02;
/** "Nearing congestion" and "congested". */
const [nearlyCongested, congested] = [90, 100];

/** @param configured submits per second, from 1; undefined: no limit */
export function openRate(configured: number | undefined, now: number): SubmitRate {
  const rate = configured ?? Number.POSITIVE_INFINITY;
  return {
    configured: rate,
    rate,
    growth: 0,
    changedAt: now,
    tokens: burstOf(rate),
    filledAt: now,
    lately: 0,
    pausedUntil: Number.NEGATIVE_INFINITY,
    halvedAt: Number.NEGATIVE_INFINITY,
  };
}

/** Submits per second at this time. */
export function rateAt({ rate, growth, changedAt, pausedUntil, configured }: SubmitRate, now: number): number {
  const seconds = Math.max(0, now - Math.max(changedAt, pausedUntil)) / 1000;
  return Math.min(configured, rate + growth * seconds);
}

/** When the next submit may go: `now`, or later. */
export function nextSubmitAt(state: SubmitRate, now: number): number {
  const from = Math.max(now, state.pausedUntil);
  const missing = 1 - tokensAt(state, from);
  // Rounding must not make a caller come again for a billionth of a token.
  return missing <= 1e-9 ? from : from + (missing / rateAt(state, from)) * 1000;
}

export function afterRateEvent(state: SubmitRate, event: RateEvent, now: number): SubmitRate {
  switch (event.kind) {
    case 'submitted':
      return { ...state, tokens: tokensAt(state, now) - 1, filledAt: now, lately: latelyAt(state, now) + 1 };
    case 'throttled':
      return { ...halved(state, event.sentAt, now), pausedUntil: pauseAfter(state, event.sentAt, now) };
    case 'congestion':
      if (event.level >= congested) return halved(state, event.sentAt, now);
      return event.level >= nearlyCongested ? withoutGrowth(state, now) : state;
  }
}

/** An answer to a submit from before the halving says nothing of the lower rate. */
function isNews(state: SubmitRate, sentAt: number): boolean {
  return sentAt > state.halvedAt;
}

function pauseAfter(state: SubmitRate, sentAt: number, now: number): number {
  return isNews(state, sentAt) ? now + throttlePauseMs : state.pausedUntil;
}

function halved(state: SubmitRate, sentAt: number, now: number): SubmitRate {
  if (!isNews(state, sentAt)) return state;
  const half = finiteRateAt(state, now) / 2;
  const slower = { rate: Math.max(slowestRate, half), growth: growthFrom(half, state), changedAt: now, halvedAt: now };
  return { ...state, ...slower, tokens: 1, filledAt: now, lately: latelyAt(state, now) };
}

/** The rate stays where it is, and grows from there unless the next response says the same. */
function withoutGrowth(state: SubmitRate, now: number): SubmitRate {
  const rate = finiteRateAt(state, now);
  return { ...state, rate, growth: Math.max(state.growth, growthFrom(rate / 2, state)), changedAt: now };
}

function growthFrom(half: number, { configured }: SubmitRate): number {
  const recovered = configured < Number.POSITIVE_INFINITY ? configured : unlimitedRecovery;
  return Math.max(recovered / longestRecoverySeconds, half / recoverySeconds);
}

/** A link without a limit is as fast as it submitted lately. */
function finiteRateAt(state: SubmitRate, now: number): number {
  const rate = rateAt(state, now);
  return rate < Number.POSITIVE_INFINITY ? rate : Math.max(slowestRate, latelyAt(state, now));
}

function burstOf(rate: number): number {
  return Math.max(1, Math.floor(rate * burstSeconds));
}

function tokensAt(state: SubmitRate, now: number): number {
  const rate = rateAt(state, now);
  if (rate === Number.POSITIVE_INFINITY) return rate;
  const from = Math.max(state.filledAt, state.pausedUntil);
  return Math.min(burstOf(rate), state.tokens + (rate * Math.max(0, now - from)) / 1000);
}

function latelyAt(state: SubmitRate, now: number): number {
  return state.lately * Math.exp(-(now - state.filledAt) / 1000);
}
