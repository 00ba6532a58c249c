import { type RawBuilder, sql } from 'kysely';
import { certificatesWithDomain } from '../certificates/certificate-lookup.ts';
import type { Database, Db } from '../database/database.ts';
import type {
  DeploymentActivityRow,
  DeploymentRefusalRow,
  DeploymentRow,
} from '../database/schema/certificate-tables.ts';
import { type Found, searchBounded } from '../database/sql/bounded-search.ts';
import type { SourceType } from '../database/sql/row-source.ts';
import { type OutdatedFacts, outdatedSince } from './outdated-since.ts';

export async function findDeployments(db: Db, ids: readonly string[]): Promise<DeploymentRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('deployment').selectAll().where('id', 'in', ids).execute();
}

/** Deletes the last-seen figures and the counted refusals of a deployment. The audit trail keeps its hand-outs. */
export async function deleteFigures(trx: Db, deployment: { organization_id: string; id: string }): Promise<void> {
  for (const table of ['deployment_activity', 'deployment_refusal'] as const) {
    await trx
      .deleteFrom(table)
      .where('organization_id', '=', deployment.organization_id)
      .where('deployment_id', '=', deployment.id)
      .execute();
  }
}

export interface DeploymentFilter {
  readonly organizationId?: string;
  readonly certificateId?: string;
  /** Goes on after this id. */
  readonly after?: string;
  readonly limit: number;
}

/** A deployment with what it fetched last, and with what is current of its certificate. */
export interface PlacedDeployment extends DeploymentRow, OutdatedFacts {
  readonly last_version_number: number | null;
  readonly last_seen_at: number | null;
  readonly last_user_agent: string | null;
}

function selectPlaced(db: Db) {
  return db
    .selectFrom('deployment')
    .leftJoin('certificate', (join) =>
      join
        .onRef('certificate.organization_id', '=', 'deployment.organization_id')
        .onRef('certificate.id', '=', 'deployment.certificate_id'),
    )
    .leftJoin('deployment_activity', (join) =>
      join
        .onRef('deployment_activity.organization_id', '=', 'deployment.organization_id')
        .onRef('deployment_activity.deployment_id', '=', 'deployment.id'),
    )
    .selectAll('deployment')
    .select((expression) => [
      'certificate.state as certificate_state',
      'certificate.current_version',
      'certificate.current_since',
      expression
        .selectFrom('certificate_version')
        .select('certificate_version.state')
        .whereRef('certificate_version.id', '=', 'certificate.current_version')
        .as('version_state'),
      'deployment_activity.last_version',
      'deployment_activity.last_seen_at',
      'deployment_activity.last_user_agent',
      // By the id alone, and not joined: PostgreSQL may merge with all versions, in the order of another index.
      expression
        .selectFrom('certificate_version')
        .select('certificate_version.number')
        .whereRef('certificate_version.id', '=', 'deployment_activity.last_version')
        .as('last_version_number'),
    ]);
}

export async function findPlaced(db: Db, id: string): Promise<PlacedDeployment | undefined> {
  return selectPlaced(db).where('deployment.id', '=', id).executeTakeFirst();
}

/** In the order they were made. */
export async function listDeployments(db: Db, filter: DeploymentFilter): Promise<PlacedDeployment[]> {
  let query = selectPlaced(db);
  if (filter.organizationId !== undefined)
    query = query.where('deployment.organization_id', '=', filter.organizationId);
  if (filter.certificateId !== undefined) query = query.where('deployment.certificate_id', '=', filter.certificateId);
  if (filter.after !== undefined) query = query.where('deployment.id', '>', filter.after);
  return query.orderBy('deployment.id').limit(filter.limit).execute();
}

/** What no index finds. */
export interface SoughtDeployments {
  /** A part of the name, or of a domain of the certificate, in any case. */
  readonly text?: string | undefined;
  readonly outdated?: boolean | undefined;
}

/** Deployments that fit; of a bounded part of the list. */
export async function searchDeployments(
  db: Db,
  filter: DeploymentFilter,
  { text, outdated }: SoughtDeployments,
  now: number,
): Promise<Found<PlacedDeployment>> {
  const wanted = text?.toLowerCase();
  // Each is looked at once, however many deployments it has: it may have many names.
  const known = new Set<string>();
  const named = new Set<string>();
  return searchBounded<PlacedDeployment>({
    async read(last, limit) {
      const rows = await listDeployments(db, { ...filter, limit, ...(last !== undefined && { after: last.id }) });
      if (wanted === undefined) return rows;
      const unknown = new Set(rows.map(({ certificate_id }) => certificate_id)).difference(known);
      for (const id of unknown) known.add(id);
      for (const id of await certificatesWithDomain(db, [...unknown], wanted)) named.add(id);
      return rows;
    },
    wanted(row) {
      if (outdated !== undefined && (outdatedSince(row, now) !== null) !== outdated) return false;
      return wanted === undefined || named.has(row.certificate_id) || row.name.toLowerCase().includes(wanted);
    },
    take: filter.limit,
  });
}

/** By the certificate; those that have none are left out. */
export async function countDeployments(
  db: Db,
  organizationId: string,
  certificateIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (certificateIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('deployment')
    .select(({ fn }) => ['certificate_id', fn.countAll<number | string | bigint>().as('deployments')])
    .where('organization_id', '=', organizationId)
    .where('certificate_id', 'in', certificateIds)
    .groupBy('certificate_id')
    .orderBy('certificate_id')
    .execute();
  return new Map(rows.map(({ certificate_id, deployments }) => [certificate_id, Number(deployments)]));
}

export async function findActivity(
  db: Db,
  deployment: { organization_id: string; id: string },
): Promise<DeploymentActivityRow | undefined> {
  return db
    .selectFrom('deployment_activity')
    .selectAll()
    .where('organization_id', '=', deployment.organization_id)
    .where('deployment_id', '=', deployment.id)
    .executeTakeFirst();
}

/** Newest minutes first. @param after goes on after this row */
export async function listRefusals(
  db: Db,
  deployment: { organization_id: string; id: string },
  limit: number,
  after?: Pick<DeploymentRefusalRow, 'minute' | 'reason' | 'address'>,
): Promise<DeploymentRefusalRow[]> {
  let query = db
    .selectFrom('deployment_refusal')
    .selectAll()
    .where('organization_id', '=', deployment.organization_id)
    .where('deployment_id', '=', deployment.id);
  if (after !== undefined) {
    const { minute, reason, address } = after;
    query = query
      .where('minute', '<=', minute)
      .where((where) =>
        where.or([
          where('minute', '<', minute),
          where('reason', '>', reason),
          where.and([where('reason', '=', reason), where('address', '>', address)]),
        ]),
      );
  }
  return query.orderBy('minute', 'desc').orderBy('reason').orderBy('address').limit(limit).execute();
}

const activityColumns = {
  organization_id: 'text',
  deployment_id: 'text',
  last_seen_at: 'bigint',
  last_address: 'text',
  last_user_agent: 'text',
  last_version: 'text',
  version_since: 'bigint',
  successes: 'bigint',
  not_modified: 'bigint',
} as const;

const refusalColumns = {
  organization_id: 'text',
  deployment_id: 'text',
  minute: 'bigint',
  reason: 'text',
  address: 'text',
  count: 'bigint',
} as const;

/**
 * Adds what was counted since the last time to each deployment's figures; no deployment twice in `rows`. Of two nodes the one
 * that writes later may have seen the earlier fetch: what was fetched last stays then.
 */
export function addActivity(database: Database, rows: readonly DeploymentActivityRow[]): Promise<void> {
  const isLatest = sql`excluded.last_seen_at >= deployment_activity.last_seen_at`;
  const latest = (column: `last_${string}`) =>
    sql`${sql.ref(column)} = case when ${isLatest}
      then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`deployment_activity.${column}`)} end`;
  return addFigures(
    database,
    'deployment_activity',
    activityColumns,
    rows,
    sql`(organization_id, deployment_id) do update set
      ${latest('last_seen_at')}, ${latest('last_address')}, ${latest('last_user_agent')}, ${latest('last_version')},
      version_since = case when ${isLatest} and deployment_activity.last_version <> excluded.last_version
        then excluded.version_since else deployment_activity.version_since end,
      successes = deployment_activity.successes + excluded.successes,
      not_modified = deployment_activity.not_modified + excluded.not_modified`,
  );
}

/** Adds refused requests to their minute's count; no two `rows` for the same count. */
export function addRefusals(database: Database, rows: readonly DeploymentRefusalRow[]): Promise<void> {
  return addFigures(
    database,
    'deployment_refusal',
    refusalColumns,
    rows,
    sql`(organization_id, deployment_id, minute, reason, address) do update set
      count = deployment_refusal.count + excluded.count`,
  );
}

/**
 * One statement in one message, which stays prepared for any rows. Rows of a deployment that was deleted meanwhile are
 * left out, because nothing would ever remove them.
 * @param rows in the order of their deployments on every node, so that no two nodes wait for each other's rows
 */
async function addFigures<Row extends { readonly deployment_id: string }>(
  database: Database,
  table: string,
  columns: Readonly<Record<string, SourceType>>,
  rows: readonly Row[],
  onConflict: RawBuilder<unknown>,
): Promise<void> {
  const names = Object.keys(columns);
  const values = rows.map((row) => names.map((name) => row[name as keyof Row]));
  const given = database.rowSource('given', columns, values);
  const existing = sql`d.id = given.deployment_id`;
  const insert = sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`given.${name}`)))}
    from ${database.lookUp.join(given, 'deployment', 'd', existing)}
    where true on conflict ${onConflict}`;
  await database.runBatch([...database.lookUp.first, insert].map((query) => query.compile(database.db)));
}

/**
 * Removes what some deployments (`limit` at most) have counted in minutes before `minute`: in chunks, so that the only
 * writer of SQLite is never held for long. The oldest first, because without an order SQLite reads the whole table.
 * @returns whether there may be more.
 */
export async function forgetRefusals(db: Db, minute: number, limit: number): Promise<boolean> {
  const old = await db
    .selectFrom('deployment_refusal')
    .select(['organization_id', 'deployment_id'])
    .where('minute', '<', minute)
    .orderBy('minute')
    .limit(limit)
    .execute();
  const deployments = new Map(old.map((row) => [row.deployment_id, row]));
  for (const { organization_id, deployment_id } of deployments.values()) {
    await db
      .deleteFrom('deployment_refusal')
      .where('organization_id', '=', organization_id)
      .where('deployment_id', '=', deployment_id)
      .where('minute', '<', minute)
      .execute();
  }
  return old.length === limit;
}
