import type { Db } from '../database/database.ts';
import type { MasterKeyRow, NodeRow } from '../database/schema/instance-tables.ts';

export async function findFact(db: Db, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('instance_fact').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Keeps an existing value: the first server to write wins, and all read it afterwards. */
export async function insertFact(db: Db, name: string, value: Uint8Array): Promise<void> {
  await db
    .insertInto('instance_fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export async function replaceFact(db: Db, name: string, value: Uint8Array): Promise<void> {
  await db.updateTable('instance_fact').set({ value }).where('name', '=', name).execute();
}

/** Locks out other servers' first starts until the transaction ends. An upserted row is locked on both databases. */
export async function lockFirstStart(trx: Db): Promise<void> {
  await trx
    .insertInto('instance_fact')
    .values({ name: 'first-start', value: Buffer.alloc(0) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute();
}

/** In the order in which they came into use. */
export async function listMasterKeys(db: Db): Promise<MasterKeyRow[]> {
  return db.selectFrom('master_key').selectAll().orderBy('created_at').execute();
}

export async function insertMasterKey(db: Db, row: MasterKeyRow): Promise<void> {
  await db
    .insertInto('master_key')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function deleteMasterKeysExcept(db: Db, id: string): Promise<void> {
  await db.deleteFrom('master_key').where('id', '!=', id).execute();
}

/** A server without a heartbeat for this long counts as gone. */
export const nodeTimeoutMs = 20_000;

/** Whether the last heartbeat is recent. A future one comes from a clock that was ahead, and does not count. */
export function isAlive({ seen_at }: Pick<NodeRow, 'seen_at'>, now: number): boolean {
  return Math.abs(now - seen_at) < nodeTimeoutMs;
}

/** Replaces the row of an earlier run. */
export async function putNode(db: Db, row: NodeRow): Promise<void> {
  await db
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** @returns false, and writes nothing, when the row is another run's */
export async function renewNode(db: Db, row: NodeRow): Promise<boolean> {
  const written = await db
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row).where('node.started_at', '=', row.started_at))
    .returning('id')
    .execute();
  return written.length > 0;
}

export async function deleteNode(db: Db, { id, started_at }: Pick<NodeRow, 'id' | 'started_at'>): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).where('started_at', '=', started_at).execute();
}

export async function listNodes(db: Db): Promise<NodeRow[]> {
  return db.selectFrom('node').selectAll().orderBy('id').execute();
}

export async function deleteNodesUnseenSince(db: Db, before: number): Promise<void> {
  await db.deleteFrom('node').where('seen_at', '<', before).execute();
}
