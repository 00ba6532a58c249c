/** How soon a certificate expires. Pure. */

const dayMs = 86_400_000;

type Nearness = 'past' | 'urgent' | 'soon' | 'far';

interface Expiry {
  /** Whole days left; negative after the expiry. */
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
