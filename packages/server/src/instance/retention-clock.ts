import { type Database, isUnavailable } from '../database/connect.ts';
import { databaseNow } from '../database/database-clock.ts';
import { type Clock, toRfc3339 } from '../runtime/clock.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Log } from '../runtime/telemetry.ts';
import { findFact, insertFact, replaceFact } from './instance-store.ts';

/**
 * The time that retention goes by: what is removed is gone, so a clock that jumped ahead must not decide on it. It follows the
 * clock, at most `hurry` times as fast as time passes on a running server, from where it was when a server last ran.
 */
export interface RetentionClock extends Pick<Clock, 'now'> {
  /** Follows the clock as far as it may. */
  advance(): Promise<void>;
  readonly worker: Worker;
}

/**
 * A day in an hour. After a server has stood for three months it takes four days until as much is removed as ever; of a
 * clock that is wrong somebody hears (doctor, readiness, log) before it has cost more than some days of what is kept.
 */
const hurry = 24;
const roundMs = 60_000;
/** A night's stop is nothing to tell of. */
const toldFromMs = 86_400_000;
const factName = 'retention-time';

/** Where this process last was, and what time has passed for it since then. */
interface Earlier {
  readonly reached: number;
  readonly elapsedMs: number;
}

/**
 * @param stored where any server on the database last was; undefined before the first. What several of them add does not add up
 * @param now what the clock says, epoch milliseconds as all of these
 */
export function nextReached(stored: number | undefined, earlier: Earlier | undefined, now: number): number {
  if (stored === undefined) return now;
  const own = earlier === undefined ? stored : earlier.reached + hurry * earlier.elapsedMs;
  return Math.min(now, Math.max(stored, own));
}

interface Needs {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createRetentionClock({ database, clock, log, wait }: Needs): RetentionClock {
  // Until it is known nothing is old.
  let reached = 0;
  let reachedAt: number | undefined;
  let isBehind = false;

  /** Of two clocks that differ the one that makes less old. */
  async function readNow(): Promise<number> {
    return database.dialect === 'postgres' ? Math.min(clock.now(), await databaseNow(database)) : clock.now();
  }

  async function advance(): Promise<void> {
    const { db } = database;
    const fact = await findFact(db, factName);
    const stored = fact === undefined ? undefined : Number(Buffer.from(fact).toString());
    const now = await readNow();
    const at = clock.monotonic();
    const earlier = reachedAt === undefined ? undefined : { reached, elapsedMs: at - reachedAt };
    reached = nextReached(stored, earlier, now);
    reachedAt = at;
    const value = Buffer.from(String(reached));
    if (stored === undefined) await insertFact(db, factName, value);
    else if (reached > stored) await replaceFact(db, factName, value);
    tell(now);
  }

  function tell(now: number): void {
    const wasBehind = isBehind;
    isBehind = now - reached > toldFromMs;
    if (isBehind === wasBehind) return;
    const fields = { reached: toRfc3339(reached), now: toRfc3339(now) };
    if (isBehind)
      log.warn(fields, 'retention removes no more than a day in an hour: after a long stop, or a clock ahead');
    else log.info(fields, 'retention is where the clock is');
  }

  return {
    now: () => reached,
    advance,
    worker: {
      name: 'retention-clock',
      async run(signal) {
        while (!signal.aborted) {
          await wait(roundMs, signal);
          if (signal.aborted) return;
          await advance().catch((error: unknown) => {
            if (!isUnavailable(error)) throw error;
          });
        }
      },
    },
  };
}
