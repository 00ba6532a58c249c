import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { PushHealth } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { type Clock, toRfc3339 } from '../../runtime/clock.ts';
import type { Lane } from './lane.ts';

/** What the lane of a setting is doing, where it is in memory here. */
export type LaneStatus = Shown<NonNullable<PushHealth['lane']>>;

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
