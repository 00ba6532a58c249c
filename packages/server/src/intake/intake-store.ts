import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import type { RouteRow } from '../database/schema/message-tables.ts';

export async function insertRoute(db: Db, row: RouteRow): Promise<void> {
  await db.insertInto('route').values(row).execute();
}

export async function findRoute(db: Db, id: string): Promise<RouteRow | undefined> {
  return db.selectFrom('route').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A page of a list. */
export interface RoutePart {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** In the order of creation. @param part all if absent */
export async function listRoutes(db: Db, organizationId: string | undefined, part?: RoutePart): Promise<RouteRow[]> {
  let query = db
    .selectFrom('route')
    .selectAll()
    .where('id', '>', part?.after ?? '');
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (part !== undefined) query = query.limit(part.limit);
  return query.orderBy('id').execute();
}

/** @returns whether it existed */
export async function deleteRoute(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('route').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRoutes(db: Db, carrierId: string): Promise<number> {
  const { count } = await db
    .selectFrom('route')
    .select((select) => select.fn.countAll<number | string>().as('count'))
    .where('carrier_id', '=', carrierId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function findRoutes(
  database: Database,
  addresses: readonly { readonly carrierId: string; readonly address: string }[],
): Promise<RouteRow[]> {
  if (addresses.length === 0) return [];
  const given = database.rowSource(
    'given',
    { carrier_id: 'text', address: 'text' },
    addresses.map(({ carrierId, address }) => [carrierId, address]),
  );
  const { rows } = await sql<RouteRow>`
    select r.* from ${given}
    join route r on r.carrier_id = given.carrier_id and r.kind in ('number', 'prefix') and r.address = given.address
  `.execute(database.db);
  return rows;
}
