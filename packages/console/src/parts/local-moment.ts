/** Moments as a field for date and time holds them: in the browser's zone, to the minute. Pure but for that zone. */

const minuteMs = 60_000;

/** @param at RFC 3339 @returns `2026-01-31T23:59` */
export function toLocalMoment(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

/** @returns RFC 3339 in UTC; undefined for what is no moment, or none that anybody means */
export function fromLocalMoment(text: string): string | undefined {
  const time = new Date(text);
  // While somebody types a year it is 0002, then 0020.
  return Number.isNaN(time.getTime()) || time.getFullYear() < 1970 ? undefined : time.toISOString();
}
