import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type {
  CarrierMessageRow,
  MessageBatchRow,
  MessagePartRow,
  MessageRow,
} from '../../database/schema/message-tables.ts';
import { firstIdAt, timeOfId } from '../../runtime/clock.ts';

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
  /** Epoch milliseconds. */
  readonly acceptedSince?: number | undefined;
  readonly acceptedBefore?: number | undefined;
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
  const { acceptedSince = 0, acceptedBefore } = filter;
  if (filter.number !== undefined) {
    // A moment always: SQLite would else go through all messages of the organization rather than this index.
    query = query.where('number', '=', filter.number).where('accepted_at', '>=', acceptedSince);
    if (acceptedBefore !== undefined) query = query.where('accepted_at', '<', acceptedBefore);
  } else {
    // A batch's id begins with the time of its acceptance: the order of the list is that of time.
    if (acceptedSince > 0) query = query.where('batch_id', '>=', firstIdAt(acceptedSince));
    if (acceptedBefore !== undefined) query = query.where('batch_id', '<', firstIdAt(acceptedBefore));
  }
  if (filter.status === 'open') query = query.where('status', 'is', null);
  else if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  // Few among many: by the index of those that were not delivered, in its own words.
  if (isOneOfFew(filter)) query = query.where(sql<boolean>`status <> 'DELIVRD'`);
  const { before, behind } = filter;
  // An id begins with its time: a list by number goes on at it instead of passing over all that came later.
  const moment = before === undefined ? undefined : timeOfId(before);
  if (filter.number !== undefined && moment !== undefined) query = query.where('accepted_at', '<=', moment);
  if (before !== undefined && behind === undefined) query = query.where('batch_id', '<', before);
  if (before !== undefined && behind !== undefined) {
    query = query
      .where('batch_id', '<=', before)
      .where((where) => where.or([where('batch_id', '<', before), where('position', '>', behind)]));
  }
  if (filter.number !== undefined) query = query.orderBy('accepted_at', 'desc');
  return query.orderBy('batch_id', 'desc').orderBy('position').limit(filter.limit).execute();
}

function isOneOfFew({ status, number, batchId }: MessageFilter): boolean {
  const isUndelivered = status === 'UNDELIV' || status === 'REJECTED';
  return isUndelivered && number === undefined && batchId === undefined;
}

export async function findMessage(
  db: Db,
  organizationId: string,
  batchId: string,
  position: number,
): Promise<MessageRow | undefined> {
  return db
    .selectFrom('message')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('batch_id', '=', batchId)
    .where('position', '=', position)
    .executeTakeFirst();
}

/** What carriers call its parts. */
export async function findCarrierMessagesOf(db: Db, message: MessageRow): Promise<CarrierMessageRow[]> {
  return db
    .selectFrom('carrier_message')
    .selectAll()
    .where('organization_id', '=', message.organization_id)
    .where('batch_id', '=', message.batch_id)
    .where('position', '=', message.position)
    .execute();
}

/** Those of its parts that no carrier has taken yet. */
export async function findQueuedPartsOf(db: Db, message: MessageRow): Promise<MessagePartRow[]> {
  return db
    .selectFrom('message_part')
    .selectAll()
    .where('organization_id', '=', message.organization_id)
    .where('batch_id', '=', message.batch_id)
    .where('position', '=', message.position)
    .execute();
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
