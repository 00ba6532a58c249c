import type { Clock } from '../runtime/clock.ts';
import type { LimitedLog } from '../runtime/rate-limited-log.ts';
import { isUnavailable } from './sql/database-errors.ts';

/** Tells in the log once when the database stops to answer, and once how long that has lasted. */
export interface DatabaseOutage {
  /** A question failed. */
  met(error: unknown): void;
  /** A question was answered. */
  ended(): void;
}

export function createDatabaseOutage(log: Pick<LimitedLog, 'info' | 'warn'>, clock: Clock): DatabaseOutage {
  let since: number | undefined;
  return {
    met(error) {
      if (since !== undefined || !isUnavailable(error)) return;
      since = clock.monotonic();
      log.warn({ err: error }, 'the database does not answer');
    },
    ended() {
      if (since === undefined) return;
      const ms = Math.round(clock.monotonic() - since);
      since = undefined;
      log.info({ outage_ms: ms }, `the database answers again after ${Math.ceil(ms / 1000)} s`);
    },
  };
}
