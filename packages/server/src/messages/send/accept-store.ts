import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type {
  DailyUsageRow,
  IdempotencyKeyRow,
  MessageBatchRow,
  MessageRow,
} from '../../database/schema/message-tables.ts';
import type { Tables } from '../../database/schema/tables.ts';
import { insertingRows, type SourceType } from '../../database/sql/row-source.ts';

/** All that one accepted group of requests writes. */
export interface AcceptedRows {
  readonly batches: readonly MessageBatchRow[];
  readonly messages: readonly AcceptedMessage[];
  readonly keys: readonly IdempotencyKeyRow[];
  /** How long carriers try, and how long receipts are waited for after that, milliseconds. */
  readonly validityMs: number;
  readonly graceMs: number;
}

/** A message that was just accepted. One without a status has all its parts in the submit queue of `carrier_id`. */
export type AcceptedMessage = Pick<
  MessageRow,
  | 'organization_id'
  | 'batch_id'
  | 'position'
  | 'mobile'
  | 'number'
  | 'segments'
  | 'parts'
  | 'status'
  | 'memo'
  | 'carrier_id'
  | 'carrier_reason'
  | 'simulated'
  | 'accepted_at'
  | 'push_id'
  | 'text_cut'
>;

export function insertingAccepted(database: Database, rows: AcceptedRows): readonly CompiledQuery[] {
  const queued = rows.messages.filter(({ status }) => status === null);
  return [
    ...inserting(database, 'message_batch', batchColumns, rows.batches),
    ...(rows.messages.length === 0 ? [] : [insertingMessages(database, rows).compile(database.db)]),
    ...(queued.length === 0 ? [] : [insertingParts(database, queued, rows).compile(database.db)]),
    ...inserting(database, 'idempotency_key', keyColumns, rows.keys),
  ];
}

function insertingMessages(
  database: Database,
  { messages, validityMs, graceMs }: Pick<AcceptedRows, 'messages' | 'validityMs' | 'graceMs'>,
): RawBuilder<unknown> {
  return sql`
    insert into message (organization_id, batch_id, position, mobile, number, segments, parts, memos, status, memo,
      carrier_id, carrier_reason, simulated, accepted_at, sent_at, settled_at, ends_at, push_id, text_cut)
    select given.organization_id, given.batch_id, given.position, given.mobile, given.number, given.segments,
      given.parts, null, given.status, given.memo, null, given.carrier_reason,
      given.simulated, given.accepted_at, null,
      case when given.status is null then null else given.accepted_at end,
      given.accepted_at + ${validityMs + graceMs}, given.push_id, given.text_cut
    from ${messageSource(database, messages)}`;
}

/** As many for each message as its carrier takes, due from the moment of its acceptance. */
function insertingParts(
  database: Database,
  messages: readonly AcceptedMessage[],
  { validityMs }: Pick<AcceptedRows, 'validityMs'>,
): RawBuilder<unknown> {
  const most = messages.reduce((most, { parts }) => Math.max(most, parts.length), 1);
  const parts = sql.join(
    Array.from({ length: most }, (_, part) => sql`select ${sql.lit(part)} as part`),
    sql` union all `,
  );
  return sql`
    insert into message_part
      (organization_id, batch_id, position, part, carrier_id, number, due_at, valid_until, attempts, unanswered,
        text_cut)
    select given.organization_id, given.batch_id, given.position, each_part.part, given.carrier_id, given.number,
      given.accepted_at, given.accepted_at + ${validityMs}, 0, 0,
      given.text_cut
    from ${messageSource(database, messages)} cross join (${parts}) as each_part
    where each_part.part < length(given.parts)`;
}

/** The same text for both tables. */
function messageSource(database: Database, messages: readonly AcceptedMessage[]): RawBuilder<unknown> {
  return database.rowSource(
    'given',
    messageColumns,
    messages.map((row) => [
      row.organization_id,
      row.batch_id,
      row.position,
      row.mobile,
      row.number,
      row.segments,
      row.parts,
      row.status,
      row.memo,
      row.carrier_id,
      row.carrier_reason,
      row.simulated,
      row.accepted_at,
      row.push_id,
      row.text_cut,
    ]),
  );
}

/**
 * A query that adds to the usage of organizations on a day, locks those rows until its transaction ends, and returns
 * them.
 * @param more no day of an organization twice
 */
export function addingUsage(database: Database, more: readonly DailyUsageRow[]): CompiledQuery<DailyUsageRow> {
  // In one order everywhere, so that no two transactions wait for each other.
  const sorted = more.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const given = database.rowSource(
    'given',
    { organization_id: 'text', day: 'text', used: 'bigint' },
    sorted.map((row) => [row.organization_id, row.day, row.used]),
  );
  return sql<DailyUsageRow>`
    insert into daily_usage (organization_id, day, used)
    select given.organization_id, given.day, given.used from ${given} where true
    on conflict (organization_id, day) do update set used = daily_usage.used + excluded.used
    returning organization_id, day, used
  `.compile(database.db);
}

const keyOf = ({ organization_id, day }: DailyUsageRow): string => `${organization_id} ${day}`;

export interface IdempotencyRef {
  readonly organizationId: string;
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** One row or undefined for each, in their order. */
export async function findIdempotencyKeys(
  database: Database,
  refs: readonly IdempotencyRef[],
): Promise<(IdempotencyKeyRow | undefined)[]> {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', key_id: 'text', idempotency_key: 'text' },
    refs.map((ref) => [ref.organizationId, ref.keyId, ref.idempotencyKey]),
  );
  const { rows } = await sql<IdempotencyKeyRow>`
    select i.* from ${given}
    join idempotency_key i on i.organization_id = given.organization_id and i.key_id = given.key_id
      and i.idempotency_key = given.idempotency_key
  `.execute(database.db);
  const found = new Map(rows.map((row) => [nameOf(row.organization_id, row.key_id, row.idempotency_key), row]));
  return refs.map((ref) => found.get(nameOf(ref.organizationId, ref.keyId, ref.idempotencyKey)));
}

const nameOf = (...names: readonly string[]): string => JSON.stringify(names);

/** Makes room for a new use of a key whose time is over. */
export async function forgetIdempotencyKey(db: Db, ref: IdempotencyRef, answeredBefore: number): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('organization_id', '=', ref.organizationId)
    .where('key_id', '=', ref.keyId)
    .where('idempotency_key', '=', ref.idempotencyKey)
    .where('answered_at', '<=', answeredBefore)
    .execute();
}

const batchColumns = {
  organization_id: 'text',
  id: 'text',
  key_id: 'text',
  content: 'text',
  sender: 'text',
  messages: 'bigint',
  accepted_at: 'bigint',
} as const satisfies Record<keyof MessageBatchRow, SourceType>;
const messageColumns = {
  organization_id: 'text',
  batch_id: 'text',
  position: 'bigint',
  mobile: 'text',
  number: 'text',
  segments: 'bigint',
  parts: 'text',
  status: 'text',
  memo: 'text',
  carrier_id: 'text',
  carrier_reason: 'text',
  simulated: 'bigint',
  accepted_at: 'bigint',
  push_id: 'text',
  text_cut: 'text',
} as const satisfies Record<keyof AcceptedMessage, SourceType>;
const keyColumns = {
  organization_id: 'text',
  key_id: 'text',
  idempotency_key: 'text',
  fingerprint: 'text',
  batch_id: 'text',
  answered_at: 'bigint',
} as const satisfies Record<keyof IdempotencyKeyRow, SourceType>;

function inserting<Table extends keyof Tables & string, Column extends keyof Tables[Table] & string>(
  database: Database,
  table: Table,
  columns: Readonly<Record<Column, SourceType>>,
  rows: readonly Pick<Tables[Table], Column>[],
): CompiledQuery[] {
  if (rows.length === 0) return [];
  const names = Object.keys(columns) as Column[];
  const values = rows.map((row) => names.map((name) => row[name]));
  return [insertingRows(database, table, columns, values).compile(database.db)];
}
