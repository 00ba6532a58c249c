import type { Clock } from '../runtime/clock.ts';
import { repeatingWorker, type Worker } from '../runtime/supervisor.ts';
import type { Log } from '../runtime/telemetry.ts';
import type { AuditTrail } from './audit-trail.ts';

const everyMs = 10 * 60_000;

/**
 * Closes past days, notes their heads in the log, and removes entries older than `keepMs`.
 * @param retentionClock tells how old an entry is
 */
export function createAuditRetention(
  audit: AuditTrail,
  clock: Pick<Clock, 'now'>,
  retentionClock: Pick<Clock, 'now'>,
  keepMs: number,
  log: Pick<Log, 'info'>,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  return repeatingWorker('audit-retention', everyMs, wait, async (signal) => {
    const now = clock.now();
    for (const { day, lastLink, entries, mac } of await audit.closeDays(now)) {
      // A head in a log elsewhere shows later whether the database was changed: audit verify --head LINK:MAC.
      log.info({ day, entries, head: `${lastLink}:${mac}` }, 'audit day closed');
    }
    const days = await audit.prune(retentionClock.now() - keepMs, now, signal);
    if (days > 0) log.info({ days }, 'audit days removed');
  });
}
