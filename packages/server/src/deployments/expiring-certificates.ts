import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSharedReading } from '../runtime/shared-reading.ts';

const dayMs = 86_400_000;

/**
 * Each bucket includes the ones before it, so that one sample is enough for an alert. Expired certificates are counted
 * apart.
 */
const spans = { '1d': 1, '7d': 7, '14d': 14, '30d': 30 } as const;

export type ExpiryBucket = keyof typeof spans | 'expired';

export interface ExpiringCount {
  readonly within: ExpiryBucket;
  /** Whether a server may fetch it: an enabled deployment that has not ended. */
  readonly deployed: boolean;
  readonly count: number;
}

/** Certificates by how soon their current version ends. Neither revoked certificates nor revoked versions: nobody is given them. */
export async function countExpiring(database: Database, now: number): Promise<readonly ExpiringCount[]> {
  const counted = (condition: ReturnType<typeof sql>) =>
    sql`cast(sum(case when ${condition} then 1 else 0 end) as bigint)`;
  const columns = Object.entries(spans).map(
    ([within, days]) =>
      sql`${counted(sql`not_after > ${now} and not_after <= ${now + days * dayMs}`)} as ${sql.ref(within)}`,
  );
  const query = sql<{ deployed: number } & Record<ExpiryBucket, number>>`
    select deployed, ${counted(sql`not_after <= ${now}`)} as expired, ${sql.join(columns)} from (
      select v.not_after, case when exists (
        select 1 from deployment d where d.certificate_id = c.id and d.organization_id = c.organization_id
          and d.enabled = 1 and (d.expires_at is null or d.expires_at > ${now})
      ) then 1 else 0 end as deployed
      from certificate c join certificate_version v
        on v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version
      where c.state = 'issued' and v.state = 'issued' and v.not_after <= ${now + spans['30d'] * dayMs}
    ) as ending group by deployed`;
  const { rows } = await database.readAside(query.compile(database.db));
  const buckets: readonly ExpiryBucket[] = [...(Object.keys(spans) as (keyof typeof spans)[]), 'expired'];
  return [true, false].flatMap((deployed) => {
    const row = rows.find((each) => (each.deployed === 1) === deployed);
    return buckets.map((within) => ({ within, deployed, count: row?.[within] ?? 0 }));
  });
}

/** A certificate whose current version ends soon, or has ended. */
export interface ExpiringCertificate {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  readonly notAfter: number;
  /** How many enabled deployments, that have not ended, may fetch it. */
  readonly deployments: number;
  /** The lifetime of the version where an authority renews the certificate by itself, else null. */
  readonly renewedLifetimeMs: number | null;
}

/** All that end before that, of all organizations. As for `countExpiring` nothing revoked is among them. */
export async function listExpiring(
  database: Pick<Database, 'db' | 'readAside'>,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<readonly ExpiringCertificate[]> {
  const query = sql<ExpiringCertificate>`
    select c.organization_id as "organizationId", c.id, c.name, v.not_after as "notAfter", (
      select cast(count(*) as bigint) from deployment d
        where d.certificate_id = c.id and d.organization_id = c.organization_id
          and d.enabled = 1 and (d.expires_at is null or d.expires_at > ${now})
    ) as deployments, case when exists (
      select 1 from certificate_request r where r.organization_id = c.organization_id and r.certificate_id = c.id
    ) then v.not_after - v.not_before end as "renewedLifetimeMs"
    from certificate c join certificate_version v
      on v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version
    where c.state = 'issued' and v.state = 'issued' and v.not_after <= ${before}`;
  return (await database.readAside(query.compile(database.db))).rows;
}

/** Counted when somebody reads: true at that moment. While the database does not answer there is no sample. */
export function createExpiryMetric(registry: Registry, database: Database, clock: Clock): void {
  const read = createSharedReading(() => countExpiring(database, clock.now()), clock);
  new Gauge({
    name: 'waxwing_certificates_expiring',
    help: 'Issued certificates whose current version ends within so long, or has `expired`. `7d` counts those of `1d` too, and so on; `expired` is apart. `deployed` is `yes` where an enabled deployment may fetch it. Over all servers on the database, counted at the scrape (a count that takes over a second stands for a minute), and without samples while the database does not answer.',
    labelNames: ['within', 'deployed'],
    registers: [registry],
    async collect() {
      const counts = await read();
      this.reset();
      for (const { within, deployed, count } of counts ?? [])
        this.set({ within, deployed: deployed ? 'yes' : 'no' }, count);
    },
  });
}
