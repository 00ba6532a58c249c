import type { Ground } from '../../audit/ground.ts';
import { isUnavailable } from '../../database/database.ts';
import { BatcherFull, createBatcher } from '../../runtime/batcher.ts';
import type { LimitedLog } from '../../runtime/rate-limited-log.ts';
import { never } from '../../runtime/wait.ts';
import { type Settlement, settle } from './settlement-store.ts';

/**
 * Records outcomes, those of the moment as one commit. While the database is away they wait for it: an outcome that is
 * known is not lost to a restart of PostgreSQL.
 */
export interface Settler {
  /**
   * Resolves as `recorded`; as `switched on` when the push was to end as off and waits on, since its switch is on; as
   * `parked` when the database refuses the outcome, and the push alone was put off. One that it cannot even put off is
   * offered again until it can, and so is one for a database that is away; as `given up` when `signal` ended that.
   */
  record(settlement: Settlement, signal: AbortSignal): Promise<Recording>;
  readonly waiting: number;
}

export type Recording = 'recorded' | 'switched on' | 'parked' | 'given up';

interface Needs extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly log: LimitedLog;
}

const settlementsPerCommit = 500;
/** On SQLite, where others wait for the same writer, a group is written in several transactions. */
const settlementsPerTurn = 100;
/**
 * Outcomes are gathered for so long, unless a whole group is waiting. No caller waits for them. Each commit takes
 * SQLite's only writer from callers that have events accepted, and writes a page of the history for each organization
 * in it.
 */
const gatherMs = 25;
const settlementsWaiting = 50_000;
const againAfterMs = 500;
/** For a database that refuses whatever it is given: seldom, since each try is taken apart down to every single one. */
const refusedAgainAfterMs = 60_000;
/** One that the database refuses comes back so much later: long enough not to be a storm, and it is seen in the log. */
const parkedMs = 3_600_000;

export function createSettler({ database, clock, log, wait }: Needs): Settler {
  const batcher = createBatcher<Settlement, 'recorded' | 'switched on'>({
    maxGroup: settlementsPerCommit,
    maxWaiting: settlementsWaiting,
    isOutage: isUnavailable,
    gather: async () => {
      if (batcher.waiting < settlementsPerCommit) await wait(gatherMs, never);
    },
    async commit(settlements) {
      // When outcomes come faster than turns, each turn takes all.
      const isBehind = batcher.waiting >= settlementsPerCommit;
      const most = isBehind || database.dialect !== 'sqlite' ? settlements.length : settlementsPerTurn;
      const on = new Set<string>();
      for (const portion of portionsOf(settlements, most)) {
        for (const id of await settle(database, portion)) on.add(id);
      }
      return settlements.map(({ id }) => (on.size > 0 && on.has(id) ? 'switched on' : 'recorded'));
    },
  });

  return {
    async record(settlement, signal) {
      let current = settlement;
      for (;;) {
        try {
          const recording = await batcher.offer(current);
          return current === settlement ? recording : 'parked';
        } catch (error) {
          if (isUnavailable(error) || error instanceof BatcherFull) {
            if (signal.aborted) return 'given up';
            log.warn({ err: error }, 'outcomes of pushes wait for the database');
            await wait(againAfterMs, signal);
            continue;
          }
          log.error({ push: settlement.id, err: error }, refused);
          if (current === settlement) {
            current = parked(settlement, clock.now());
            continue;
          }
          if (signal.aborted) return 'given up';
          await wait(refusedAgainAfterMs, signal);
          current = settlement;
        }
      }
    },
    get waiting() {
      return batcher.waiting;
    },
  };
}

/**
 * Sorted by organization, so that the portions together write a page of the history as often as one commit would.
 * Between two portions the callers that have events accepted get their turn at the writer.
 */
function portionsOf(settlements: readonly Settlement[], most: number): (readonly Settlement[])[] {
  if (settlements.length <= most) return [settlements];
  const sorted = settlements.toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  const count = Math.ceil(sorted.length / most);
  const size = Math.ceil(sorted.length / count);
  return Array.from({ length: count }, (_, index) => sorted.slice(index * size, (index + 1) * size));
}

const refused = 'the outcome of a push cannot be recorded; it comes again in 1 h';

/** The push is left as it is but for its due time: neither lost nor tried at once again. */
function parked(settlement: Settlement, now: number): Settlement {
  return { ...settlement, attempt: undefined, end: { state: 'waiting', dueAt: now + parkedMs } };
}
