import type { Ground } from '../audit/ground.ts';
import { unlessUnavailable } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { type Clock, toRfc3339 } from '../runtime/clock.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Log } from '../runtime/telemetry.ts';
import { findFact, insertFact, replaceFact } from './instance-store.ts';

/**
 * The time for retention. Removal is final, so a clock that jumped ahead must not decide. This time follows the clock,
 * at most `hurry` times as fast, from where the last server left it.
 */
export interface RetentionClock extends Pick<Clock, 'now'> {
  advance(): Promise<void>;
  readonly worker: Worker;
}

/**
 * A server that stood for three months catches up in four days. Doctor, readiness and log report a wrong clock sooner.
 */
const hurry = 24;
const roundMs = 60_000;
/** Shorter stops are not reported. */
const toldFromMs = 86_400_000;
const factName = 'retention-time';

/** Where this process was last, and the time that it has run since. */
interface Earlier {
  readonly reached: number;
  readonly elapsedMs: number;
}

/** @param stored where any server on the database was last; undefined at first. Servers' steps do not add up */
export function nextReached(stored: number | undefined, earlier: Earlier | undefined, now: number): number {
  if (stored === undefined) return now;
  const own = earlier === undefined ? stored : earlier.reached + hurry * earlier.elapsedMs;
  return Math.min(now, Math.max(stored, own));
}

interface Needs extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export function createRetentionClock({ database, clock, log, wait }: Needs): RetentionClock {
  // Until the time is known, nothing is old.
  let reached = 0;
  let reachedAt: number | undefined;
  let isBehind = false;

  /** Takes the earlier of two clocks, by which less is old. */
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
      log.warn(
        fields,
        'retention removes no more than a day in an hour: this server was stopped for long, or its clock is ahead',
      );
    else log.info(fields, 'retention has caught up with the clock');
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
          await unlessUnavailable(advance());
        }
      },
    },
  };
}
