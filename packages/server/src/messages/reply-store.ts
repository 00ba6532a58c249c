import type { Database, Db } from '../database/connect.ts';
import type { ReplyRow } from '../database/message-tables.ts';

const columns = [
  'organization_id',
  'id',
  'carrier_id',
  'sender',
  'recipient',
  'content',
  'owned_by',
  'stop',
  'simulated',
  'received_at',
  'push_id',
] as const;

export function insertReplies(database: Database, trx: Db, rows: readonly ReplyRow[]): Promise<void> {
  return database.bulkInsert(
    trx,
    'reply',
    columns,
    rows.map((row) => columns.map((column) => row[column])),
  );
}

export interface ReplyFilter {
  /** Empty: those that are nobody's. */
  readonly organizationId: string;
  /** Goes on with replies before this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function findReplies(db: Db, filter: ReplyFilter): Promise<ReplyRow[]> {
  let query = db.selectFrom('reply').selectAll().where('organization_id', '=', filter.organizationId);
  if (filter.before !== undefined) query = query.where('id', '<', filter.before);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}
