import type { Clock } from './clock.ts';

export const recentMinutes = 5;
const minuteMs = 60_000;

/** How often something happened in this process lately. Costs an addition each time. */
export interface RecentCount {
  add(times: number): void;
  /** In the last five whole minutes. */
  sum(): number;
}

export function createRecentCount(clock: Pick<Clock, 'monotonic'>): RecentCount {
  /** The current minute and the counted ones, each in the place of its number. */
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
