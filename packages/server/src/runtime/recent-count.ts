import type { Clock } from './clock.ts';

/** Of how many whole minutes the sum is. */
export const recentMinutes = 5;
const minuteMs = 60_000;

/** How often something happened in this process lately; costs an addition each time, and no memory. */
export interface RecentCount {
  add(times: number): void;
  /** In the last five whole minutes. */
  sum(): number;
}

export function createRecentCount(clock: Pick<Clock, 'monotonic'>): RecentCount {
  /** The minute under way and those that count; each in the place of its number. */
  const places = Array.from({ length: recentMinutes + 1 }, () => ({ minute: Number.NEGATIVE_INFINITY, times: 0 }));
  const minuteNow = (): number => Math.floor(clock.monotonic() / minuteMs);

  return {
    add(times) {
      const minute = minuteNow();
      const place = places[minute % places.length];
      if (place === undefined) return;
      if (place.minute !== minute) Object.assign(place, { minute, times: 0 });
      place.times += times;
    },
    sum() {
      const now = minuteNow();
      const counted = places.filter(({ minute }) => minute < now && minute >= now - recentMinutes);
      return counted.reduce((sum, { times }) => sum + times, 0);
    },
  };
}
