/** How near the end of a certificate is. Pure. */

const dayMs = 86_400_000;

export type Nearness = 'past' | 'urgent' | 'soon' | 'far';

export interface Expiry {
  /** Whole days that are left; negative once it is over. */
  readonly days: number;
  readonly nearness: Nearness;
}

/** @param at RFC 3339. @param now epoch milliseconds */
export function expiryOf(at: string, now: number): Expiry {
  const days = Math.floor((Date.parse(at) - now) / dayMs);
  if (days < 0) return { days, nearness: 'past' };
  if (days < 7) return { days, nearness: 'urgent' };
  return { days, nearness: days < 30 ? 'soon' : 'far' };
}
