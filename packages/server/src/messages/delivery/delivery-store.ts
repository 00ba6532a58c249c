import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { CarrierMessageRow, MessageRow, OrphanReceiptRow } from '../../database/schema/message-tables.ts';
import type { MessageRef, PartRef } from '../state/part-event.ts';

/*
 * Queries over any number of rows each, so that a group of events costs two messages to the writer: one that reads, one
 * that writes. A function that is given no rows makes no query. Their transaction begins with `database.lookUp.firstByKeys`,
 * because the submit queue is empty at one moment and holds a campaign at the next.
 */

/** What a carrier calls something. */
export interface CarrierKey {
  readonly carrierId: string;
  readonly carrierMessageId: string;
}

/** Which parts the carriers mean. Answers rows of carrier_message. */
export function findingCarrierMessages(database: Database, keys: readonly CarrierKey[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    keys,
    () => sql`
      select m.* from ${keySource(database, keys)}
      join carrier_message m on m.carrier_id = given.carrier_id and m.carrier_message_id = given.carrier_message_id`,
  );
}

/** Receipts that came before what they belong to was known, oldest first. Answers rows of orphan_receipt. */
export function findingOrphans(database: Database, keys: readonly CarrierKey[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    keys,
    () => sql`
      select o.* from ${keySource(database, keys)}
      join orphan_receipt o on o.carrier_id = given.carrier_id and o.carrier_message_id = given.carrier_message_id
      order by o.received_at`,
  );
}

/**
 * The messages named, and those that the carriers mean, for this transaction alone. Locked in one order everywhere, so
 * that no two transactions wait for each other. Answers rows of message.
 */
export function lockingMessages(
  database: Database,
  refs: readonly MessageRef[],
  keys: readonly CarrierKey[],
): CompiledQuery[] {
  const named = () => sql`select organization_id, batch_id, position
    from ${database.rowSource('named', refColumns, refs.map(ofRef))}`;
  const meant = () => sql`select m.organization_id, m.batch_id, m.position from ${keySource(database, keys)}
    join carrier_message m on m.carrier_id = given.carrier_id and m.carrier_message_id = given.carrier_message_id`;
  const wanted = [...(refs.length === 0 ? [] : [named()]), ...(keys.length === 0 ? [] : [meant()])];
  return unlessEmpty(
    database,
    wanted,
    () => sql`
      select message.* from (${sql.join(wanted, sql` union `)}) as wanted
      join message on message.organization_id = wanted.organization_id and message.batch_id = wanted.batch_id
        and message.position = wanted.position
      order by message.organization_id, message.batch_id, message.position ${lockingRows(database, 'message')}`,
  );
}

/**
 * Writes what deliveries have become; everything else of a message never changes. `newPushId` becomes its push where one
 * is really queued, by this transaction.
 */
export function updatingMessages(
  database: Database,
  rows: readonly (MessageRow & { readonly newPushId: string | null })[],
): CompiledQuery[] {
  const given = () =>
    database.rowSource(
      'given',
      {
        ...refColumns,
        parts: 'text',
        memos: 'text',
        status: 'text',
        memo: 'text',
        carrier_id: 'text',
        simulated: 'bigint',
        sent_at: 'bigint',
        settled_at: 'bigint',
        ends_at: 'bigint',
        push_id: 'text',
        new_push_id: 'text',
      },
      rows.map((row) => [
        row.organization_id,
        row.batch_id,
        row.position,
        row.parts,
        row.memos,
        row.status,
        row.memo,
        row.carrier_id,
        row.simulated,
        row.sent_at,
        row.settled_at,
        row.ends_at,
        row.push_id,
        row.newPushId,
      ]),
    );
  return unlessEmpty(
    database,
    rows,
    () => sql`
      update message set parts = given.parts, memos = given.memos, status = given.status, memo = given.memo,
        carrier_id = given.carrier_id, simulated = given.simulated, sent_at = given.sent_at,
        settled_at = given.settled_at, ends_at = given.ends_at, push_id = coalesce(given.push_id,
          (select p.id from push p where p.organization_id = given.organization_id and p.id = given.new_push_id))
      from ${given()}
      where message.organization_id = given.organization_id and message.batch_id = given.batch_id
        and message.position = given.position`,
  );
}

/** Takes parts out of the submit queue. */
export function deletingParts(database: Database, parts: readonly PartRef[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    parts,
    () => sql`
      delete from message_part where (organization_id, batch_id, position, part) in
        (select organization_id, batch_id, position, part
         from ${database.rowSource('given', partColumns, parts.map(ofPart))})`,
  );
}

/** Takes all parts of messages out of the submit queue. */
export function deletingPartsOf(database: Database, refs: readonly MessageRef[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    refs,
    () => sql`
      delete from message_part where (organization_id, batch_id, position) in
        (select organization_id, batch_id, position
         from ${database.rowSource('given', refColumns, refs.map(ofRef))})`,
  );
}

export interface Postponement {
  readonly part: PartRef;
  readonly dueAt: number;
  readonly attempts: number;
  readonly unanswered: number;
  readonly refusedBy: readonly string[];
  /** The carrier that takes it over, and why. */
  readonly next: { readonly id: string; readonly reason?: string | undefined } | undefined;
}

/** Of parts that have left the queue meanwhile nothing is changed. */
export function postponingParts(database: Database, postponements: readonly Postponement[]): CompiledQuery[] {
  const given = () =>
    database.rowSource(
      'given',
      {
        ...partColumns,
        ...{ due_at: 'bigint', attempts: 'bigint', unanswered: 'bigint', refused_by: 'text', carrier_id: 'text' },
      },
      postponements.map((each) => [
        ...[...ofPart(each.part), each.dueAt, each.attempts, each.unanswered],
        ...[each.refusedBy.join(' '), each.next?.id ?? null],
      ]),
    );
  return unlessEmpty(
    database,
    postponements,
    () => sql`
      update message_part set due_at = given.due_at, attempts = given.attempts, unanswered = given.unanswered,
        refused_by = given.refused_by, carrier_id = coalesce(given.carrier_id, message_part.carrier_id)
      from ${given()}
      where message_part.organization_id = given.organization_id and message_part.batch_id = given.batch_id
        and message_part.position = given.position and message_part.part = given.part`,
  );
}

/** Notes why messages went to another carrier. */
export function explainingMoves(database: Database, postponements: readonly Postponement[]): CompiledQuery[] {
  const moved = postponements.flatMap(({ part, next }) => (next === undefined ? [] : [{ part, next }]));
  const given = () =>
    database.rowSource(
      'given',
      { ...refColumns, carrier_reason: 'text' },
      moved.map(({ part, next }) => [...ofRef(part), next.reason ?? null]),
    );
  return unlessEmpty(
    database,
    moved,
    () => sql`
      update message set carrier_reason = given.carrier_reason from ${given()}
      where message.organization_id = given.organization_id and message.batch_id = given.batch_id
        and message.position = given.position`,
  );
}

/** A carrier that gives the same id again means the newer part; no id twice in `rows`. */
export function rememberingCarrierMessages(database: Database, rows: readonly CarrierMessageRow[]): CompiledQuery[] {
  const given = () =>
    database.rowSource(
      'given',
      { carrier_id: 'text', carrier_message_id: 'text', ...partColumns, sent_at: 'bigint' },
      rows.map((row) => [
        row.carrier_id,
        row.carrier_message_id,
        row.organization_id,
        row.batch_id,
        row.position,
        row.part,
        row.sent_at,
      ]),
    );
  // "where true" keeps SQLite from reading "on" as the beginning of a join.
  return unlessEmpty(
    database,
    rows,
    () => sql`
      insert into carrier_message
        (carrier_id, carrier_message_id, organization_id, batch_id, position, part, sent_at)
      select given.carrier_id, given.carrier_message_id, given.organization_id, given.batch_id, given.position,
        given.part, given.sent_at
      from ${given()} where true
      on conflict (carrier_id, carrier_message_id) do update set organization_id = excluded.organization_id,
        batch_id = excluded.batch_id, position = excluded.position, part = excluded.part,
        sent_at = excluded.sent_at`,
  );
}

/** Keeps receipts for what is not known yet, each once however often it comes. */
export function keepingOrphans(database: Database, rows: readonly OrphanReceiptRow[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    rows,
    () => sql`
      insert into orphan_receipt (carrier_id, carrier_message_id, status, memo, received_at)
      select given.carrier_id, given.carrier_message_id, given.status, given.memo, given.received_at
      from ${orphanSource(database, rows)} where true
      on conflict do nothing`,
  );
}

export function removingOrphans(database: Database, rows: readonly OrphanReceiptRow[]): CompiledQuery[] {
  return unlessEmpty(
    database,
    rows,
    () => sql`
      delete from orphan_receipt where (carrier_id, carrier_message_id, status) in
        (select carrier_id, carrier_message_id, status from ${orphanSource(database, rows)})`,
  );
}

/**
 * Orphans whose part has become known since, because answer and receipt were committed side by side; oldest first.
 * @param receivedSince epoch milliseconds; older orphans were examined when no answer could be committed beside them
 * any more
 */
export async function findAdoptable(db: Db, receivedSince: number, limit: number): Promise<OrphanReceiptRow[]> {
  return db
    .selectFrom('orphan_receipt')
    .innerJoin('carrier_message', (join) =>
      join
        .onRef('carrier_message.carrier_id', '=', 'orphan_receipt.carrier_id')
        .onRef('carrier_message.carrier_message_id', '=', 'orphan_receipt.carrier_message_id'),
    )
    .selectAll('orphan_receipt')
    .where('orphan_receipt.received_at', '>=', receivedSince)
    .orderBy('orphan_receipt.received_at')
    .limit(limit)
    .execute();
}

/** Messages that nobody waits for any longer, earliest first. */
export async function findEnded(db: Db, now: number, limit: number): Promise<MessageRef[]> {
  const rows = await db
    .selectFrom('message')
    .select(['organization_id', 'batch_id', 'position'])
    .where('status', 'is', null)
    .where('ends_at', '<=', now)
    .orderBy('ends_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ organizationId: row.organization_id, batchId: row.batch_id, position: row.position }));
}

const refColumns = { organization_id: 'text', batch_id: 'text', position: 'bigint' } as const;
const partColumns = { ...refColumns, part: 'bigint' } as const;

const ofRef = (ref: MessageRef) => [ref.organizationId, ref.batchId, ref.position];
const ofPart = (ref: PartRef) => [...ofRef(ref), ref.part];

function keySource(database: Database, keys: readonly CarrierKey[]): RawBuilder<unknown> {
  return database.rowSource(
    'given',
    { carrier_id: 'text', carrier_message_id: 'text' },
    keys.map((key) => [key.carrierId, key.carrierMessageId]),
  );
}

function orphanSource(database: Database, rows: readonly OrphanReceiptRow[]): RawBuilder<unknown> {
  return database.rowSource(
    'given',
    { carrier_id: 'text', carrier_message_id: 'text', status: 'text', memo: 'text', received_at: 'bigint' },
    rows.map((row) => [row.carrier_id, row.carrier_message_id, row.status, row.memo, row.received_at]),
  );
}

function unlessEmpty({ db }: Database, rows: readonly unknown[], build: () => RawBuilder<unknown>): CompiledQuery[] {
  return rows.length === 0 ? [] : [build().compile(db)];
}
