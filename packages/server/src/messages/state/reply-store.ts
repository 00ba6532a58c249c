import type { Database, Db } from '../../database/database.ts';
import type { ReplyRow } from '../../database/schema/message-tables.ts';
import { insertingRows, type SourceType } from '../../database/sql/row-source.ts';

const columns = {
  organization_id: 'text',
  id: 'text',
  carrier_id: 'text',
  sender: 'text',
  recipient: 'text',
  content: 'text',
  owned_by: 'text',
  stop: 'bigint',
  simulated: 'bigint',
  received_at: 'bigint',
  push_id: 'text',
} as const satisfies Record<keyof ReplyRow, SourceType>;
const names = Object.keys(columns) as (keyof ReplyRow)[];

export async function insertReplies(database: Database, trx: Db, rows: readonly ReplyRow[]): Promise<void> {
  const values = rows.map((row) => names.map((name) => row[name]));
  await insertingRows(database, 'reply', columns, values).execute(trx);
}

export interface ReplyFilter {
  /** Empty: unmatched replies. */
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
