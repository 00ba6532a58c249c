import type { AcmeFailure } from '../protocol/acme-port.ts';

/** Failures in a row, this one included. Any success of a certificate, or with an authority, ends its row. */
export interface FailuresInARow {
  readonly certificate: number;
  readonly authority: number;
}

/** Epoch milliseconds. */
export interface BackOff {
  /** When this certificate is tried again. */
  readonly certificateAt: number;
  /** Until when no certificate is tried with this authority; null: the failure says nothing about others. */
  readonly authorityAt: number | null;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Leaves many tries to a certificate of six days, and makes four in the first hour: Let's Encrypt allows five. */
const certificateWait = { firstMs: 5 * minuteMs, mostMs: 4 * hourMs };
/** Short, for all certificates wait. */
const authorityWait = { firstMs: 30 * secondMs, mostMs: 30 * minuteMs };
/** Nobody stays away for longer because of one header. */
const longestRetryAfterMs = 24 * hourMs;

/**
 * When to try again.
 *
 *   the authority is away or faulty   all its certificates wait, this one no longer than the others
 *   a limit was reached               this certificate waits for as long as was asked: the limit may be on its names
 *                                     alone. The others wait shortly, and longer if they are refused as well
 *   anything else                     this certificate waits, for longer each time
 *
 * @param random from [0, 1): draws each wait from 80 to 120 %
 */
export function backOff(
  { type, temporary, retryAfterMs }: Pick<AcmeFailure, 'type' | 'temporary' | 'retryAfterMs'>,
  failures: FailuresInARow,
  now: number,
  random: () => number,
): BackOff {
  const asked = now + Math.min(retryAfterMs ?? 0, longestRetryAfterMs);
  const authorityAt = now + grown(authorityWait, failures.authority, random);
  if (temporary && (type === null || authorityTypes.has(type))) {
    const at = Math.max(authorityAt, asked);
    return { certificateAt: at, authorityAt: at };
  }
  const certificateAt = Math.max(now + grown(certificateWait, failures.certificate, random), asked);
  return { certificateAt, authorityAt: type === 'rateLimited' ? authorityAt : null };
}

const authorityTypes: ReadonlySet<string> = new Set(['badNonce', 'notSent', 'serverInternal']);

function grown(
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
  failures: number,
  random: () => number,
): number {
  return Math.round(Math.min(firstMs * 2 ** Math.min(failures - 1, 30), mostMs) * (0.8 + 0.4 * random()));
}
