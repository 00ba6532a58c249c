import type { Db } from '../database/connect.ts';
import type { MasterKeyRow, NodeRow } from '../database/instance-tables.ts';

export async function findFact(db: Db, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('instance_fact').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Keeps what is there: the first node to write wins, and everybody reads afterwards. */
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

/**
 * Keeps other servers from making their first start until this transaction ends. A row that is inserted or updated is
 * locked on either database, also while it does not exist yet.
 */
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

/** A server that was not heard of for this long counts as gone. */
export const nodeTimeoutMs = 20_000;

/**
 * Whether it was heard of lately. What was heard later than now was written while the clock was ahead, and says nothing.
 */
export function isAlive({ seen_at }: Pick<NodeRow, 'seen_at'>, now: number): boolean {
  return Math.abs(now - seen_at) < nodeTimeoutMs;
}

/** In place of what an earlier run has left behind. */
export async function putNode(db: Db, row: NodeRow): Promise<void> {
  await db
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** @returns false when the row is another run's: nothing is written then */
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
