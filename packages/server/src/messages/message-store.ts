import type { Db } from '../database/connect.ts';
import type { MessageBatchRow, MessageRow } from '../database/tables.ts';

export async function findBatch(db: Db, organizationId: string, id: string): Promise<MessageBatchRow | undefined> {
  return db
    .selectFrom('message_batch')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** In the order of the request. */
export async function findMessagesOf(db: Db, batch: MessageBatchRow): Promise<MessageRow[]> {
  return db
    .selectFrom('message')
    .selectAll()
    .where('organization_id', '=', batch.organization_id)
    .where('batch_id', '=', batch.id)
    .orderBy('position')
    .execute();
}

export interface MessageFilter {
  readonly organizationId: string;
  readonly batchId?: string | undefined;
  /** E.164 with `+`. */
  readonly number?: string | undefined;
  readonly status?: 'DELIVRD' | 'UNDELIV' | 'REJECTED' | 'open' | undefined;
  /** Goes on with batches before this one. */
  readonly before?: string | undefined;
  /** With `before`: goes on in that batch, behind this position. */
  readonly behind?: number | undefined;
  readonly limit: number;
}

/**
 * Newest batches first, in each the order of the request. By number they stand in the order of their acceptance, which is
 * that of batches: so the index of numbers gives it, and not all messages of the organization are gone through.
 */
export async function listMessages(db: Db, filter: MessageFilter): Promise<MessageRow[]> {
  let query = db.selectFrom('message').selectAll().where('organization_id', '=', filter.organizationId);
  if (filter.batchId !== undefined) query = query.where('batch_id', '=', filter.batchId);
  // The moment is any: SQLite would else go through all messages of the organization rather than this index.
  if (filter.number !== undefined) query = query.where('number', '=', filter.number).where('accepted_at', '>=', 0);
  if (filter.status === 'open') query = query.where('status', 'is', null);
  else if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  const { before, behind } = filter;
  if (before !== undefined && behind === undefined) query = query.where('batch_id', '<', before);
  if (before !== undefined && behind !== undefined) {
    query = query
      .where('batch_id', '<=', before)
      .where((where) => where.or([where('batch_id', '<', before), where('position', '>', behind)]));
  }
  if (filter.number !== undefined) query = query.orderBy('accepted_at', 'desc');
  return query.orderBy('batch_id', 'desc').orderBy('position').limit(filter.limit).execute();
}

/** The organization that wrote to this number last, and a carrier has it or is to have it. */
export async function findLatestMessage(
  db: Db,
  number: string,
  acceptedSince: number,
): Promise<{ readonly organizationId: string; readonly acceptedAt: number } | undefined> {
  const row = await db
    .selectFrom('message')
    .select(['organization_id', 'accepted_at'])
    .where('number', '=', number)
    .where('accepted_at', '>=', acceptedSince)
    // What we refused ourselves never reached anybody who could answer it.
    .where((where) => where.or([where('status', 'is', null), where('carrier_id', 'is not', null)]))
    .orderBy('accepted_at', 'desc')
    .orderBy('batch_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { organizationId: row.organization_id, acceptedAt: row.accepted_at };
}
