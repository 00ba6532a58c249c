import { type Clock, toRfc3339 } from '../../runtime/clock.ts';
import type { Lane } from './lane.ts';

/** What the lane of a setting is doing, where it is in memory here. */
export interface LaneStatus {
  readonly state: 'open' | 'probing' | 'paused';
  readonly running: number;
  readonly window: number;
  /** Attempts in a row without an answer. */
  readonly silence: number;
  /** When it goes on; null when it goes on now. */
  readonly next_at: string | null;
}

export function laneStatusOf({ running, window, silence, probing, pausedUntil }: Lane, clock: Clock): LaneStatus {
  const now = clock.monotonic();
  const nextAt = Math.max(pausedUntil, probing?.nextAt ?? 0);
  return {
    state: pausedUntil > now ? 'paused' : probing === undefined ? 'open' : 'probing',
    running,
    window: Math.floor(window),
    silence,
    next_at: nextAt > now ? toRfc3339(clock.now() + nextAt - now) : null,
  };
}
