/** How a rate of success is judged. Pure. */

/** A receiver may miss one answer in a hundred during its restarts. */
const goodFrom = 0.99;
/** If more than one push in ten fails, something is wrong. */
const soonFrom = 0.9;

/** @param rate from 0 to 1; null where nothing was attempted */
export function successTone(rate: number | null): 'good' | 'soon' | 'bad' | 'plain' {
  if (rate === null) return 'plain';
  if (rate >= goodFrom) return 'good';
  return rate >= soonFrom ? 'soon' : 'bad';
}
