import { type RawBuilder, sql } from 'kysely';
import { noRollout, type Rollout } from '../certificates/certificate-deployments.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { canFetch, type FetchFacts, type OutdatedFacts, outdatedSince } from './outdated-since.ts';

/**
 * By the certificate; those without a deployment that counts are left out.
 * @param db a connection, or the caller's transaction
 */
export async function countRollouts(
  db: Db,
  database: Pick<Database, 'lookUp' | 'rowSource'>,
  certificates: readonly Pick<CertificateRow, 'id'>[],
  now: number,
): Promise<ReadonlyMap<string, Rollout>> {
  if (certificates.length === 0) return new Map();
  const ids = certificates.map(({ id }) => [id]);
  const wanted = database.rowSource('wanted', { id: 'text' }, ids);
  const deployments = database.lookUp.join(wanted, 'deployment', 'd', sql`d.certificate_id = wanted.id`);
  const counted = sql<AlikeDeployments & { certificate_id: string }>`
    select ${alikeColumns(now)}, d.certificate_id
    from ${placedIn(database, deployments)}
    group by ${alike}, d.certificate_id`;
  const rollouts = new Map<string, Rollout>();
  for (const group of (await counted.execute(db)).rows) {
    if (!canFetch(group, now)) continue;
    const { current, total } = rollouts.get(group.certificate_id) ?? noRollout;
    const reached = group.has_current === 1 ? group.count : 0;
    rollouts.set(group.certificate_id, { current: current + reached, total: total + group.count });
  }
  return rollouts;
}

/** As many deployments as are the same in all that decides whether they count, and whether they are outdated. */
export interface AlikeDeployments extends FetchFacts {
  readonly has_current: 0 | 1;
  readonly count: number;
}

/** The columns of `AlikeDeployments`: an end that has not come is left out. Of a deployment `d`, joined as `placedIn` does. */
export const alikeColumns = (now: number): RawBuilder<unknown> => sql`
  d.enabled, d.permitted, case when d.expires_at <= ${now} then cast(${now} as bigint) end as expires_at,
  c.state as certificate_state, v.state as version_state,
  case when a.last_version = c.current_version then 1 else 0 end as has_current,
  cast(count(*) as bigint) as count`;

/** The columns to group by, where `alikeColumns` stand first. */
export const alike = sql`1, 2, 3, 4, 5, 6`;

/** A deployment that has not fetched the current version of its certificate. Times are epoch milliseconds. */
export interface OutdatedDeployment {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  readonly certificateId: string;
  readonly certificateName: string;
  readonly since: number;
}

/** A certificate whose current version has reached every deployment that can fetch it; there is at least one. */
export interface CompleteRollout {
  readonly organizationId: string;
  readonly certificateId: string;
  readonly certificateName: string;
  readonly version: string;
  readonly number: number;
  /** How many of these there are. */
  readonly deployments: number;
  /**
   * Epoch milliseconds: when the last of them fetched the version for the first time, or when the version became current,
   * whichever is later.
   */
  readonly completedAt: number;
}

/**
 * Which deployments are outdated, and which rollouts are complete: of all organizations, by one pass.
 * @param since only rollouts that were completed at this time or later; undefined: none
 */
export async function readDeployed(
  database: Pick<Database, 'db' | 'lookUp'>,
  now: number,
  since?: number,
): Promise<{ readonly outdated: readonly OutdatedDeployment[]; readonly rollouts: readonly CompleteRollout[] }> {
  const outdated: OutdatedDeployment[] = [];
  const rollouts: CompleteRollout[] = [];
  let group: Group | undefined;
  const end = () => {
    if (group?.isComplete && since !== undefined && group.rollout.completedAt >= since) rollouts.push(group.rollout);
  };
  for await (const row of allPlaced(database)) {
    const outdatedFrom = outdatedSince(row, now);
    if (outdatedFrom !== null) outdated.push(toOutdated(row, outdatedFrom));
    if (!canFetch(row, now) || row.current_version === null || row.version_number === null) continue;
    if (group?.rollout.certificateId !== row.certificate_id) {
      end();
      group = newGroup(row, row.current_version, row.version_number);
    }
    const { rollout } = group;
    rollout.deployments += 1;
    rollout.completedAt = Math.max(rollout.completedAt, row.version_since ?? 0);
    // A version may become current while the certificate is read: then some have the one, some the other.
    group.isComplete &&= row.last_version === rollout.version && row.current_version === rollout.version;
  }
  end();
  return { outdated, rollouts };
}

function toOutdated(row: PlacedRow, since: number): OutdatedDeployment {
  return {
    organizationId: row.organization_id,
    id: row.id,
    name: row.name,
    certificateId: row.certificate_id,
    certificateName: row.certificate_name ?? '',
    since,
  };
}

interface Group {
  readonly rollout: { -readonly [Name in keyof CompleteRollout]: CompleteRollout[Name] };
  isComplete: boolean;
}

function newGroup(row: PlacedRow, version: string, number: number): Group {
  return {
    rollout: {
      organizationId: row.organization_id,
      certificateId: row.certificate_id,
      certificateName: row.certificate_name ?? '',
      version,
      number,
      deployments: 0,
      completedAt: row.current_since ?? 0,
    },
    isComplete: true,
  };
}

/** A deployment with what is current of its certificate, and with what it fetched last. */
interface PlacedRow extends OutdatedFacts {
  readonly organization_id: string;
  readonly id: string;
  readonly name: string;
  readonly certificate_id: string;
  readonly certificate_name: string | null;
  readonly version_number: number | null;
  readonly version_since: number | null;
}

/** Few enough that nobody waits for a statement of them. */
const rowsAtOnce = 500;

/** All deployments, those of a certificate one after the other. */
async function* allPlaced(database: Pick<Database, 'db' | 'lookUp'>): AsyncGenerator<PlacedRow, void, undefined> {
  for (let last: PlacedRow | undefined; ; ) {
    const rows = await readPlaced(database, last);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < rowsAtOnce) return;
  }
}

async function readPlaced(
  database: Pick<Database, 'db' | 'lookUp'>,
  after: PlacedRow | undefined,
): Promise<readonly PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    select d.organization_id, d.id, d.name, d.certificate_id, d.enabled, d.permitted, d.expires_at, d.created_at,
      c.name as certificate_name, c.state as certificate_state, c.current_version, c.current_since,
      v.state as version_state, v.number as version_number, a.last_version, a.version_since
    from ${placedIn(database, sql`deployment as d`)}
    where (d.certificate_id, d.id) > (${after?.certificate_id ?? ''}, ${after?.id ?? ''})
    order by d.certificate_id, d.id limit ${rowsAtOnce}`.execute(database.db);
  return rows;
}

/** @param deployments as `d`; their certificate is joined as `c`, its current version as `v`, what each fetched last as `a` */
function placedIn({ lookUp }: Pick<Database, 'lookUp'>, deployments: RawBuilder<unknown>): RawBuilder<unknown> {
  const certificate = sql`c.organization_id = d.organization_id and c.id = d.certificate_id`;
  const version = sql`v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version`;
  const activity = sql`a.organization_id = d.organization_id and a.deployment_id = d.id`;
  const withCertificate = lookUp.leftJoin(deployments, 'certificate', 'c', certificate);
  const withVersion = lookUp.leftJoin(withCertificate, 'certificate_version', 'v', version);
  return lookUp.leftJoin(withVersion, 'deployment_activity', 'a', activity);
}
