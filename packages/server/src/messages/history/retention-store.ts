import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { firstIdAt } from '../../runtime/clock.ts';

/** Every delete takes a chunk, so that no transaction holds the writer for long. */
const batchesPerChunk = 50;
const rowsPerChunk = 1_000;

/** The organization behind `after` that has rows in the table: one look into the key for each, however many rows it has. */
export async function nextOrganization(
  db: Db,
  table: 'daily_usage' | 'message_batch' | 'message_counter' | 'reply',
  after: string | undefined,
): Promise<string | undefined> {
  let query = db.selectFrom(table).select('organization_id');
  if (after !== undefined) query = query.where('organization_id', '>', after);
  const row = await query.orderBy('organization_id').limit(1).executeTakeFirst();
  return row?.organization_id;
}

/**
 * Batches of which no message is open: what has waited through a long outage gets its final status before it goes.
 * @returns whether there may be more
 */
export async function deleteBatches(database: Database, organizationId: string, before: number): Promise<boolean> {
  const rows = await database.db
    .selectFrom('message_batch')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<', firstIdAt(before))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('message')
            .select('message.position')
            .whereRef('message.organization_id', '=', 'message_batch.organization_id')
            .whereRef('message.batch_id', '=', 'message_batch.id')
            .where('message.status', 'is', null),
        ),
      ),
    )
    .orderBy('id')
    .limit(batchesPerChunk)
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  await database.transaction(async (trx) => {
    for (const table of ['message_part', 'message'] as const) {
      await trx.deleteFrom(table).where('organization_id', '=', organizationId).where('batch_id', 'in', ids).execute();
    }
    await trx
      .deleteFrom('message_batch')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .execute();
  });
  return rows.length === batchesPerChunk;
}

/** @returns whether there may be more */
export async function deleteReplies(db: Db, organizationId: string, before: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('reply')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', (from) =>
      from
        .selectFrom('reply')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('id', '<', firstIdAt(before))
        .limit(rowsPerChunk),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(rowsPerChunk);
}

/** Also notes up to where cursors have expired. @returns whether there may be more */
export async function deleteEvents(database: Database, organizationId: string, before: number): Promise<boolean> {
  const rows = await database.db
    .selectFrom('message_event')
    .select(['number', 'at'])
    .where('organization_id', '=', organizationId)
    .orderBy('number')
    .limit(rowsPerChunk)
    .execute();
  // Up to the first one that is kept: clocks of several nodes may differ, numbers are in order.
  const kept = rows.findIndex(({ at }) => at >= before);
  const last = rows[(kept === -1 ? rows.length : kept) - 1]?.number;
  if (last === undefined) return false;
  await database.transaction(async (trx) => {
    await trx
      .deleteFrom('message_event')
      .where('organization_id', '=', organizationId)
      .where('number', '<=', last)
      .execute();
    await trx
      .updateTable('message_counter')
      .set({ forgotten: last })
      .where('organization_id', '=', organizationId)
      .where('forgotten', '<', last)
      .execute();
  });
  return kept === -1 && rows.length === rowsPerChunk;
}

/** What carriers called parts, and the answers to idempotency keys. @returns whether there may be more */
export async function deleteReferences(
  db: Db,
  limits: { readonly sentBefore: number; readonly answeredBefore: number },
): Promise<boolean> {
  const carried = await sql`
    delete from carrier_message where (carrier_id, carrier_message_id) in
      (select carrier_id, carrier_message_id from carrier_message where sent_at < ${limits.sentBefore}
       limit ${sql.lit(rowsPerChunk)})`.execute(db);
  const answered = await sql`
    delete from idempotency_key where (organization_id, key_id, idempotency_key) in
      (select organization_id, key_id, idempotency_key from idempotency_key
       where answered_at <= ${limits.answeredBefore} limit ${sql.lit(rowsPerChunk)})`.execute(db);
  return [carried, answered].some(({ numAffectedRows }) => numAffectedRows === BigInt(rowsPerChunk));
}

/** Receipts that nobody will ever match. @returns how many, and whether there may be more */
export async function deleteOrphans(db: Db, receivedBefore: number): Promise<{ removed: number; isMore: boolean }> {
  const { numAffectedRows } = await sql`
    delete from orphan_receipt where (carrier_id, carrier_message_id, status) in
      (select carrier_id, carrier_message_id, status from orphan_receipt where received_at < ${receivedBefore}
       limit ${sql.lit(rowsPerChunk)})`.execute(db);
  const removed = Number(numAffectedRows ?? 0n);
  return { removed, isMore: removed === rowsPerChunk };
}

/** A year's days of one organization at most. @returns false: there is no more */
export async function deleteUsage(db: Db, organizationId: string, beforeDay: string): Promise<false> {
  await db
    .deleteFrom('daily_usage')
    .where('organization_id', '=', organizationId)
    .where('day', '<', beforeDay)
    .execute();
  return false;
}
