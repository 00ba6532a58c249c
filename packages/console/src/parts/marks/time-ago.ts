/** How long ago something was, as people say it. Pure. */

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** `3 hours ago`, `3小时前`: in whole units, the largest that fits. @param at RFC 3339 */
export function timeAgo(at: string, now: number, language: string): string {
  // Two clocks may disagree by a little.
  const length = Math.max(0, now - Date.parse(at));
  const { unit, ms } = steps.find((step) => length >= step.ms) ?? { unit: 'second', ms: 1_000 };
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(length / ms), unit);
}
