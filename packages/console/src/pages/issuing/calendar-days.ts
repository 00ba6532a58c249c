/** The days of the calendar of renewals, as UTC dates: `2026-01-31`. Pure. */

const dayMs = 86_400_000;

/** How far the days of the browser begin before those of UTC, in minutes: 480 in China. */
export function offsetMinutes(now: number): number {
  return -new Date(now).getTimezoneOffset();
}

/** The weeks from the Monday before `from`, until `days` days from it are shown; null for days outside. */
export function weeksFrom(from: string, days: number): readonly (readonly (string | null)[])[] {
  const first = Date.parse(from);
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const weeks = Math.ceil((before + days) / 7);
  return Array.from({ length: weeks }, (_week, week) =>
    Array.from({ length: 7 }, (_day, day) => {
      const index = week * 7 + day - before;
      return index < 0 || index >= days ? null : dateOf(first + index * dayMs);
    }),
  );
}

/** The times that a day of the calendar covers, in the browser's time zone. Today includes overdue renewals. */
export function spanOf(day: string, from: string, offset: number): { readonly since?: string; readonly until: string } {
  const start = Date.parse(day) - offset * 60_000;
  const until = new Date(start + dayMs).toISOString();
  return day === from ? { until } : { since: new Date(start).toISOString(), until };
}

/** The day of a time (RFC 3339) here. */
export function dayOf(at: string, offset: number): string {
  return dateOf(Date.parse(at) + offset * 60_000);
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
