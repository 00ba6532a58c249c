import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSharedReading } from '../../runtime/shared-reading.ts';

/** What waits for the receiver of one setting. */
export interface WaitingFigure {
  readonly settingId: string;
  readonly count: number;
  /** When the longest waiting of them was accepted, or last sent again. */
  readonly since: number;
}

/**
 * Of all settings with something waiting, except those of suspended organizations, whose pushes wait for no receiver.
 */
export async function readWaitingFigures(database: Database): Promise<readonly WaitingFigure[]> {
  const query = sql<WaitingFigure>`
    select p.setting_id as "settingId", count(*) as count, min(p.queued_at) as since
    from push p join organization o on o.id = p.organization_id
    where o.suspended_at is null group by p.setting_id`;
  return (await database.readAside(query.compile(database.db))).rows;
}

/** How many pushes of each setting were given up since then. */
export async function countFailedSince(database: Database, since: number): Promise<ReadonlyMap<string, number>> {
  // "Not delivered" says nothing more, but by it SQLite sees that the partial index has these rows.
  const query = sql<{ settingId: string; count: number }>`
    select setting_id as "settingId", count(*) as count from push_history
    where state <> 'delivered' and state = 'failed' and ended_at >= ${since} group by setting_id`;
  const { rows } = await database.readAside(query.compile(database.db));
  return new Map(rows.map(({ settingId, count }) => [settingId, count]));
}

/** Over all servers on the database. While it does not answer there is no sample. */
export function createWaitingMetric(registry: Registry, database: Database, clock: Clock): void {
  const read = createSharedReading(() => readWaitingFigures(database), clock);
  new Gauge({
    name: 'waxwing_push_oldest_waiting_seconds',
    help: 'How long the push that waits longest has waited since it was accepted or last sent again, 0 where none waits; over all servers on the database, and without a sample while it does not answer.',
    registers: [registry],
    async collect() {
      const figures = await read();
      if (figures === undefined) return this.remove();
      const now = clock.now();
      this.set(Math.max(0, ...figures.map(({ since }) => (now - since) / 1000)));
    },
  });
}
