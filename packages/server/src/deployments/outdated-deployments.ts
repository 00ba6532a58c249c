import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSharedReading } from '../runtime/shared-reading.ts';
import { canFetch } from './outdated-since.ts';
import { type AlikeDeployments, alike, alikeColumns } from './rollout.ts';

export async function countOutdated(database: Database, now: number): Promise<number> {
  const query = sql<AlikeDeployments>`
    select ${alikeColumns(now)}
    from deployment d
      join certificate c on c.organization_id = d.organization_id and c.id = d.certificate_id
      join certificate_version v
        on v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version
      left join deployment_activity a on a.organization_id = d.organization_id and a.deployment_id = d.id
    group by ${alike}`;
  const { rows } = await database.readAside(query.compile(database.db));
  return rows.reduce((sum, group) => sum + (group.has_current === 0 && canFetch(group, now) ? group.count : 0), 0);
}

/** Counted when somebody reads: true at that moment. While the database does not answer there is no sample. */
export function createOutdatedMetric(registry: Registry, database: Database, clock: Clock): void {
  const read = createSharedReading(() => countOutdated(database, clock.now()), clock);
  new Gauge({
    name: 'waxwing_deployments_outdated',
    help: 'Deployments that can fetch the current version of their certificate and have not, those that have fetched nothing yet included: enabled, permitted and not expired, and neither certificate nor version is revoked. Over all servers on the database, counted at the scrape (a count that takes over a second stands for a minute), and without a sample while the database does not answer.',
    registers: [registry],
    async collect() {
      const count = await read();
      if (count === undefined) this.remove();
      else this.set(count);
    },
  });
}
