/**
 * The two quotas of an organization. Both count messages, one for each phone number. Over the quota per second a
 * request is refused with 429 and nothing is accepted. Over the quota per day a message is accepted and REJECTED.
 */

/** The allowance for sends of one organization. */
export interface Allowance {
  /** Messages that may still go now; below zero after a batch that was larger than the allowance. */
  readonly messages: number;
  /** When this was true: milliseconds that never run backwards. */
  readonly at: number;
}

/** What sums of fractions may be off by. */
const rounding = 1e-6;

export type RateDecision =
  | { readonly allowed: true; readonly allowance: Allowance }
  /** Whole seconds, at least 1, after which the same request will be allowed. */
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/**
 * Takes a batch from an allowance that grows by `perSecond` messages a second, up to one second's worth.
 *
 * A batch goes as a whole as soon as one message may go, and the allowance may then be below zero: so a batch larger than one
 * second's worth is possible, and is paid for by waiting after it. In the long run no more than `perSecond` a second
 * pass.
 *
 * @param held undefined when nothing was sent before
 * @param perSecond at least 1; undefined is without limit
 * @param messages how many the batch has
 * @param now milliseconds that never run backwards
 */
export function takeFromRate(
  held: Allowance | undefined,
  perSecond: number | undefined,
  messages: number,
  now: number,
): RateDecision {
  if (perSecond === undefined) return { allowed: true, allowance: { messages: 0, at: now } };
  const grown =
    held === undefined ? perSecond : Math.min(perSecond, held.messages + ((now - held.at) / 1000) * perSecond);
  if (grown > 1 - rounding) return { allowed: true, allowance: { messages: grown - messages, at: now } };
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - grown) / perSecond - rounding)) };
}

/** What an organization has sent on one day. */
export interface DayUsage {
  /** The UTC day, YYYY-MM-DD. */
  readonly day: string;
  readonly used: number;
}

export interface DayGrant {
  /** How many of the messages asked for may go: the first ones of the batch. */
  readonly granted: number;
  readonly usage: DayUsage;
}

/**
 * @param usage of this day or an earlier one; undefined when nothing was sent before
 * @param perDay undefined is without limit
 * @param now epoch milliseconds
 */
export function takeFromDay(
  usage: DayUsage | undefined,
  perDay: number | undefined,
  messages: number,
  now: number,
): DayGrant {
  const day = dayOf(now);
  const used = usage?.day === day ? usage.used : 0;
  const left = perDay === undefined ? messages : Math.max(0, perDay - used);
  const granted = Math.min(messages, left);
  return { granted, usage: { day, used: used + granted } };
}

/** The UTC day of a moment, YYYY-MM-DD. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
