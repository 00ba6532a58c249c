import type { Database, Db } from '../database/database.ts';
import { lockingRows } from '../database/row-lock.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';

export async function insertCarrier(trx: Db, row: CarrierRow): Promise<void> {
  await trx.insertInto('carrier').values(row).execute();
}

export async function findCarrier(db: Db, id: string): Promise<CarrierRow | undefined> {
  return db.selectFrom('carrier').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

/** The carrier as it is now, for this transaction alone. */
export async function lockCarrier(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<CarrierRow | undefined> {
  return trx
    .selectFrom('carrier')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .modifyEnd(lockingRows(database, 'carrier'))
    .executeTakeFirst();
}

export async function findCarrierByName(db: Db, name: string): Promise<CarrierRow | undefined> {
  return db
    .selectFrom('carrier')
    .selectAll()
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Oldest first. Deleted ones are missing. */
export async function listCarrierRows(db: Db): Promise<CarrierRow[]> {
  return db.selectFrom('carrier').selectAll().where('deleted_at', 'is', null).orderBy('id').execute();
}

/** Oldest first, deleted ones as well. */
export async function listCarriersEver(db: Db): Promise<CarrierRow[]> {
  return db.selectFrom('carrier').selectAll().orderBy('id').execute();
}

export async function updateCarrierRow(trx: Db, id: string, columns: Partial<CarrierRow>): Promise<void> {
  await trx.updateTable('carrier').set(columns).where('id', '=', id).execute();
}

/** Deleted or disabled carriers that parts wait for. */
export async function findIdleCarriers(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('carrier')
    .select('id')
    .where((where) => where.or([where('deleted_at', 'is not', null), where('enabled', '=', 0)]))
    .where((where) =>
      where.exists(
        where.selectFrom('message_part').select('part').whereRef('message_part.carrier_id', '=', 'carrier.id'),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}
