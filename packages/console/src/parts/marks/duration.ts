/** Lengths of time as people read them. Pure. */

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const;

/** `850 ms`, `1.2 s`, `3 m 5 s`, `2 d 4 h`; `850 毫秒`: the two largest units at most, in the words of the language. */
export function formatDuration(ms: number, language: string): string {
  const inUnit = (value: number, unit: string, digits = 0) =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      // Narrow Chinese has no word for a millisecond.
      unitDisplay: language === 'en' ? 'narrow' : 'short',
      maximumFractionDigits: digits,
    })
      .formatToParts(value)
      .map(({ type, value: text }) => (type === 'unit' ? ` ${text}` : text.trim()))
      .join('');
  // Two clocks may disagree by a little, so a length may be negative.
  const length = Math.max(0, Math.round(ms));
  if (length < 1_000) return inUnit(length, 'millisecond');
  if (length < 60_000) return inUnit(length / 1_000, 'second', 1);
  const first = steps.findIndex((step) => length >= step.ms);
  const [large, small] = [steps[first], steps[first + 1]];
  if (large === undefined || small === undefined) return inUnit(length / 1_000, 'second');
  const rest = Math.floor((length % large.ms) / small.ms);
  const whole = inUnit(Math.floor(length / large.ms), large.unit);
  return rest === 0 ? whole : `${whole} ${inUnit(rest, small.unit)}`;
}

/** The same between two times, RFC 3339. */
export function durationBetween(from: string, to: string, language: string): string {
  return formatDuration(Date.parse(to) - Date.parse(from), language);
}
