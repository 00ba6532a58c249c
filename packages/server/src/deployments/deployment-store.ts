import { domainsOfCertificates } from '../certificates/certificate-lookup.ts';
import type { DeploymentActivityRow, DeploymentRefusalRow, DeploymentRow } from '../database/certificate-tables.ts';
import type { Database, Db } from '../database/connect.ts';
import { type Found, lookThrough } from '../database/look-through.ts';
import { lockingRows } from '../database/row-lock.ts';

export async function insertDeployment(db: Db, row: DeploymentRow): Promise<void> {
  await db.insertInto('deployment').values(row).execute();
}

export async function findDeployment(db: Db, id: string): Promise<DeploymentRow | undefined> {
  return db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findDeployments(db: Db, ids: readonly string[]): Promise<DeploymentRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('deployment').selectAll().where('id', 'in', ids).execute();
}

export type DeploymentChange = Partial<
  Pick<
    DeploymentRow,
    'name' | 'enabled' | 'permitted' | 'query_token' | 'allow_list' | 'requests_per_minute' | 'expires_at'
  >
>;

/** As it is, and locked until the transaction ends. */
export async function lockDeployment(database: Database, trx: Db, id: string): Promise<DeploymentRow | undefined> {
  return trx
    .selectFrom('deployment')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'deployment'))
    .executeTakeFirst();
}

/** Also locks the row until the transaction ends. @returns the row as it is now; undefined when there is none. */
export async function updateDeployment(
  trx: Db,
  deployment: { organization_id: string; id: string },
  change: DeploymentChange,
  at: number,
): Promise<DeploymentRow | undefined> {
  return trx
    .updateTable('deployment')
    .set({ ...change, updated_at: at })
    .where('organization_id', '=', deployment.organization_id)
    .where('id', '=', deployment.id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Removes a deployment and what was counted of it; the audit trail keeps what it fetched.
 * @returns whether it was there.
 */
export async function deleteDeployment(trx: Db, deployment: { organization_id: string; id: string }): Promise<boolean> {
  const { organization_id, id } = deployment;
  const { numDeletedRows } = await trx
    .deleteFrom('deployment')
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  for (const table of ['deployment_activity', 'deployment_refusal'] as const) {
    await trx
      .deleteFrom(table)
      .where('organization_id', '=', organization_id)
      .where('deployment_id', '=', id)
      .execute();
  }
  return true;
}

export interface DeploymentFilter {
  readonly organizationId?: string;
  readonly certificateId?: string;
  /** Goes on after this id. */
  readonly after?: string;
  readonly limit: number;
}

/** In the order they were made. */
export async function listDeployments(db: Db, filter: DeploymentFilter): Promise<DeploymentRow[]> {
  let query = db.selectFrom('deployment').selectAll();
  if (filter.organizationId !== undefined) query = query.where('organization_id', '=', filter.organizationId);
  if (filter.certificateId !== undefined) query = query.where('certificate_id', '=', filter.certificateId);
  if (filter.after !== undefined) query = query.where('id', '>', filter.after);
  return query.orderBy('id').limit(filter.limit).execute();
}

/** Those whose name, or a domain of whose certificate, has `search` in it, in any case; of a bounded part. */
export async function searchDeployments(
  db: Db,
  filter: DeploymentFilter,
  search: string,
): Promise<Found<DeploymentRow>> {
  const wanted = search.toLowerCase();
  const domains = new Map<string, readonly string[]>();
  return lookThrough<DeploymentRow>({
    async read(last, limit) {
      const rows = await listDeployments(db, { ...filter, limit, ...(last !== undefined && { after: last.id }) });
      const unknown = rows.map(({ certificate_id }) => certificate_id).filter((id) => !domains.has(id));
      for (const [id, names] of await domainsOfCertificates(db, [...new Set(unknown)])) domains.set(id, names);
      return rows;
    },
    wanted: ({ name, certificate_id }) =>
      [name, ...(domains.get(certificate_id) ?? [])].some((each) => each.toLowerCase().includes(wanted)),
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

/** Those of the deployments that exist. */
export async function existingDeployments(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('deployment').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map((row) => row.id));
}

/** Adds what was counted since the last time to each deployment's figures; no deployment twice in `rows`. */
export async function addActivity(trx: Db, rows: readonly DeploymentActivityRow[]): Promise<void> {
  await trx
    .insertInto('deployment_activity')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'deployment_id']).doUpdateSet((expression) => ({
        last_seen_at: expression.ref('excluded.last_seen_at'),
        last_address: expression.ref('excluded.last_address'),
        last_user_agent: expression.ref('excluded.last_user_agent'),
        last_version: expression.ref('excluded.last_version'),
        successes: expression('deployment_activity.successes', '+', expression.ref('excluded.successes')),
        not_modified: expression('deployment_activity.not_modified', '+', expression.ref('excluded.not_modified')),
      })),
    )
    .execute();
}

/** Adds refused requests to their minute's count; no two `rows` for the same count. */
export async function addRefusals(trx: Db, rows: readonly DeploymentRefusalRow[]): Promise<void> {
  await trx
    .insertInto('deployment_refusal')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'deployment_id', 'minute', 'reason', 'address'])
        .doUpdateSet((expression) => ({
          count: expression('deployment_refusal.count', '+', expression.ref('excluded.count')),
        })),
    )
    .execute();
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
