import { orderSpacingMs } from './next-step.ts';

export interface PlacedOrder {
  /** Epoch milliseconds. */
  readonly placedAt: number;
  /** Whether it brought a certificate. */
  readonly isIssued: boolean;
}

export interface OrderLimit {
  readonly most: number;
  /** When the next order may be placed, epoch milliseconds. */
  readonly until: number;
}

/** Let's Encrypt fails an account's name for an hour after five validations that failed. */
export const mostOrders = 5;
/** Let's Encrypt issues five certificates for the same names in a week: a script in a loop must leave two of them. */
export const mostIssued = 3;

/**
 * Whether people may order a certificate now, by the orders for the same names that one authority got before. One that
 * failed is asked for again at once, and so is another certificate where the key of the first is lost; only what would
 * use up the limits of the authority has to wait.
 * @returns undefined: now
 */
export function limitOrders(placed: readonly PlacedOrder[], now: number): OrderLimit | undefined {
  const recent = placed.filter(({ placedAt }) => placedAt > now - orderSpacingMs);
  const limits = [
    limitOf(recent, mostOrders),
    limitOf(
      recent.filter(({ isIssued }) => isIssued),
      mostIssued,
    ),
  ];
  return limits.filter((limit) => limit !== undefined).toSorted((one, other) => other.until - one.until)[0];
}

function limitOf(placed: readonly PlacedOrder[], most: number): OrderLimit | undefined {
  // When this one is an hour old, fewer than `most` are left.
  const last = placed.map(({ placedAt }) => placedAt).toSorted((one, other) => other - one)[most - 1];
  return last === undefined ? undefined : { most, until: last + orderSpacingMs };
}
