import type { Database } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/telemetry.ts';

/**
 * Leases follow the database's clock alone. A server's own clock makes the times in messages and audit entries. Beyond
 * half a minute codes of authenticator apps are refused, beyond one retries of another server's pushes are early or
 * late, beyond five receivers refuse signatures.
 */
export const clockLimits = { apartMs: 10_000, farMs: 60_000 } as const;

type ClockVerdict = 'close' | 'apart' | 'far';

export function judgeClock(differenceMs: number): ClockVerdict {
  const size = Math.abs(differenceMs);
  if (size <= clockLimits.apartMs) return 'close';
  return size <= clockLimits.farMs ? 'apart' : 'far';
}

/** How far this server's clock is ahead of the database's, at least. */
export async function readClockDifference(
  database: Database,
  clock: Clock,
): Promise<{ readonly databaseNow: number; readonly differenceMs: number }> {
  const before = clock.now();
  const there = await databaseNow(database);
  const after = clock.now();
  // SQLite has only this server's clock.
  if (database.dialect === 'sqlite') return { databaseNow: there, differenceMs: 0 };
  return { databaseNow: there, differenceMs: Math.max(before - there, 0) + Math.min(after - there, 0) };
}

/** The database's clock, and its last known difference to this server's. */
interface ClockWatch {
  /** Epoch milliseconds. */
  read(): Promise<number>;
  isClose(): boolean;
}

export function createClockWatch(database: Database, clock: Clock, log: Pick<Log, 'info' | 'warn'>): ClockWatch {
  let verdict: ClockVerdict = 'close';

  function note(differenceMs: number): void {
    const found = judgeClock(differenceMs);
    if (found === verdict) return;
    verdict = found;
    const fields = { ahead_ms: Math.round(differenceMs) };
    if (found === 'close') log.info(fields, 'the clocks of this server and of the database agree again');
    else log.warn(fields, 'the clocks of this server and of the database differ');
  }

  return {
    async read() {
      const { databaseNow, differenceMs } = await readClockDifference(database, clock);
      note(differenceMs);
      return databaseNow;
    },
    isClose: () => verdict === 'close',
  };
}
