import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSharedReading } from '../runtime/shared-reading.ts';

/** As `outdatedSince` decides, over all of them at once. */
async function countOutdated(database: Database): Promise<number> {
  const query = sql<{ count: number }>`
    select cast(count(*) as bigint) as count
    from deployment d
      join certificate c on c.organization_id = d.organization_id and c.id = d.certificate_id
      left join deployment_activity a on a.organization_id = d.organization_id and a.deployment_id = d.id
    where d.enabled = 1 and c.state = 'issued' and c.current_version is not null
      and (a.last_version is null or a.last_version <> c.current_version)`;
  const { rows } = await database.readAside(query.compile(database.db));
  return rows[0]?.count ?? 0;
}

/** Counted when somebody reads: true at that moment. While the database does not answer there is no sample. */
export function createOutdatedMetric(registry: Registry, database: Database, clock: Clock): void {
  const read = createSharedReading(() => countOutdated(database), clock);
  new Gauge({
    name: 'waxwing_deployments_outdated',
    help: 'Enabled deployments that have not fetched the current version of their issued certificate, those that have fetched nothing yet included. Over all servers on the database, counted at the scrape (a count that takes over a second stands for a minute), and without a sample while the database does not answer.',
    registers: [registry],
    async collect() {
      const count = await read();
      if (count === undefined) this.remove();
      else this.set(count);
    },
  });
}
