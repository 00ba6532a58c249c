import { type RawBuilder, sql } from 'kysely';
import { numbersOfVersions } from '../certificates/certificate-lookup.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { type OutdatedFacts, outdatedSince } from './outdated-since.ts';

/** How far the current version of a certificate has come. */
export interface RolloutCount {
  /** The enabled deployments that fetched the current version last. */
  readonly current: number;
  /** All enabled ones. */
  readonly total: number;
}

/**
 * By the certificate; those without an enabled deployment are left out.
 * @param db a connection, or the caller's transaction
 */
export async function countRollouts(
  db: Db,
  database: Pick<Database, 'lookUp'>,
  certificates: readonly Pick<CertificateRow, 'id' | 'current_version'>[],
): Promise<ReadonlyMap<string, RolloutCount>> {
  if (certificates.length === 0) return new Map();
  const ids = sql.join(certificates.map(({ id }) => id));
  // A version belongs to one certificate alone.
  const versions = sql.join(certificates.map(({ current_version }) => current_version));
  const counted = sql<RolloutCount & { certificate_id: string }>`
    select d.certificate_id, cast(count(*) as bigint) as total,
      cast(sum(case when a.last_version in (${versions}) then 1 else 0 end) as bigint) as current
    from ${withActivity(database, sql`deployment as d`)}
    where d.certificate_id in (${ids}) and d.enabled = 1
    group by d.certificate_id`;
  const { rows } = await counted.execute(db);
  return new Map(rows.map(({ certificate_id, current, total }) => [certificate_id, { current, total }]));
}

/** A deployment that has not fetched the current version of its certificate. Times are epoch milliseconds. */
export interface OutdatedDeployment {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  readonly certificateId: string;
  readonly certificateName: string;
  /** The version that it should have. */
  readonly currentVersion: string;
  readonly since: number;
  /** The version that it fetched last, and when; null: it has fetched nothing yet. */
  readonly lastVersion: string | null;
  readonly lastSeenAt: number | null;
}

/** A certificate whose current version has reached every enabled deployment; there is at least one. */
export interface CompleteRollout {
  readonly organizationId: string;
  readonly certificateId: string;
  readonly certificateName: string;
  readonly version: string;
  readonly number: number;
  /** How many enabled deployments there are. */
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
  since?: number,
): Promise<{ readonly outdated: readonly OutdatedDeployment[]; readonly rollouts: readonly CompleteRollout[] }> {
  const outdated: OutdatedDeployment[] = [];
  const complete: Omit<CompleteRollout, 'number'>[] = [];
  let group: Group | undefined;
  const end = () => {
    if (group?.isComplete && since !== undefined && group.rollout.completedAt >= since) complete.push(group.rollout);
  };
  for await (const row of allPlaced(database)) {
    const outdatedFrom = outdatedSince(row);
    if (outdatedFrom !== null) outdated.push(toOutdated(row, outdatedFrom));
    if (row.enabled === 0 || row.certificate_state !== 'issued' || row.current_version === null) continue;
    if (group?.rollout.certificateId !== row.certificate_id) {
      end();
      group = newGroup(row, row.current_version);
    }
    const { rollout } = group;
    rollout.deployments += 1;
    rollout.completedAt = Math.max(rollout.completedAt, row.version_since ?? 0);
    // A version may become current while the certificate is read: then some have the one, some the other.
    group.isComplete &&= row.last_version === rollout.version && row.current_version === rollout.version;
  }
  end();
  const numbers = await numbersOfVersions(
    database.db,
    complete.map(({ version }) => version),
  );
  const rollouts = complete.flatMap((rollout) => {
    const number = numbers.get(rollout.version);
    return number === undefined ? [] : [{ ...rollout, number }];
  });
  return { outdated, rollouts };
}

function toOutdated(row: PlacedRow, since: number): OutdatedDeployment {
  return {
    organizationId: row.organization_id,
    id: row.id,
    name: row.name,
    certificateId: row.certificate_id,
    certificateName: row.certificate_name ?? '',
    currentVersion: row.current_version ?? '',
    since,
    lastVersion: row.last_version,
    lastSeenAt: row.last_seen_at,
  };
}

interface Group {
  readonly rollout: { -readonly [Name in keyof Omit<CompleteRollout, 'number'>]: CompleteRollout[Name] };
  isComplete: boolean;
}

function newGroup(row: PlacedRow, version: string): Group {
  return {
    rollout: {
      organizationId: row.organization_id,
      certificateId: row.certificate_id,
      certificateName: row.certificate_name ?? '',
      version,
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
  readonly last_seen_at: number | null;
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
  const certificate = sql`c.organization_id = d.organization_id and c.id = d.certificate_id`;
  const placed = database.lookUp.leftJoin(sql`deployment as d`, 'certificate', 'c', certificate);
  const { rows } = await sql<PlacedRow>`
    select d.organization_id, d.id, d.name, d.certificate_id, d.enabled, d.created_at,
      c.name as certificate_name, c.state as certificate_state, c.current_version, c.current_since,
      a.last_version, a.last_seen_at, a.version_since
    from ${withActivity(database, placed)}
    where (d.certificate_id, d.id) > (${after?.certificate_id ?? ''}, ${after?.id ?? ''})
    order by d.certificate_id, d.id limit ${rowsAtOnce}`.execute(database.db);
  return rows;
}

/** @param deployments a table expression with deployments as `d`; what each fetched last is joined as `a` */
function withActivity({ lookUp }: Pick<Database, 'lookUp'>, deployments: RawBuilder<unknown>): RawBuilder<unknown> {
  const own = sql`a.organization_id = d.organization_id and a.deployment_id = d.id`;
  return lookUp.leftJoin(deployments, 'deployment_activity', 'a', own);
}
