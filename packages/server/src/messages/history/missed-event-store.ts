import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { MessageEventRow, MessageRow, ReplyRow } from '../../database/schema/message-tables.ts';
import { firstSince } from '../../database/sql/first-since.ts';
import { findEventCounter } from '../state/event-log.ts';

/** The number in front of the first event at or after `since`: numbers have no gaps and times grow with them. */
export async function findFirstEventSince(db: Db, organizationId: string, since: number): Promise<number> {
  const { value, forgotten } = await findEventCounter(db, organizationId);
  const range = { first: forgotten + 1, last: value };
  return (await firstSince(range, since, (number) => findTimeOf(db, organizationId, number))) - 1;
}

async function findTimeOf(db: Db, organizationId: string, number: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('message_event')
    .select('at')
    .where('organization_id', '=', organizationId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.at;
}

/** Events of one kind of an organization: behind `from`, up to `to`, that happened at or after `since`. */
export interface EventRange {
  readonly organizationId: string;
  readonly kind: MessageEventRow['kind'];
  readonly from: number;
  readonly to: number;
  readonly since: number;
}

export async function listEventsIn(db: Db, range: EventRange): Promise<MessageEventRow[]> {
  return db
    .selectFrom('message_event')
    .selectAll()
    .where('organization_id', '=', range.organizationId)
    .where('number', '>', range.from)
    .where('number', '<=', range.to)
    .where('kind', '=', range.kind)
    .where('at', '>=', range.since)
    .orderBy('number')
    .execute();
}

/** A message with a final status and no push, and the number of its event. */
export type MissedStatus = Pick<MessageRow, 'organization_id' | 'batch_id' | 'position' | 'mobile' | 'memo'> & {
  readonly number: number;
  readonly status: NonNullable<MessageRow['status']>;
};

/** A reply without a push. Nobody else writes it any more. */
export type MissedReply = Pick<ReplyRow, 'organization_id' | 'id' | 'sender' | 'content'> & { readonly number: number };

/** The first messages without a push that events tell of, in the order of the events. */
export function findingMissedStatuses(
  database: Database,
  events: readonly MessageEventRow[],
  limit: number,
): RawBuilder<MissedStatus> {
  return sql<MissedStatus>`
    select m.organization_id, m.batch_id, m.position, m.mobile, m.status, m.memo, e.number
    from ${eventSource(database, events)}
    join message m on m.organization_id = e.organization_id and m.batch_id = e.subject_id and m.position = e.position
    where m.push_id is null and m.status is not null
    order by e.number limit ${limit}`;
}

/** The first replies without a push that events tell of, in the order of the events. */
export function findingMissedReplies(
  database: Database,
  events: readonly MessageEventRow[],
  limit: number,
): RawBuilder<MissedReply> {
  return sql<MissedReply>`
    select r.organization_id, r.id, r.sender, r.content, e.number
    from ${eventSource(database, events)}
    join reply r on r.organization_id = e.organization_id and r.id = e.subject_id
    where r.push_id is null
    order by e.number limit ${limit}`;
}

function eventSource(database: Database, events: readonly MessageEventRow[]): RawBuilder<unknown> {
  return database.rowSource(
    'e',
    { organization_id: 'text', subject_id: 'text', position: 'bigint', number: 'bigint' },
    events.map((event) => [event.organization_id, event.subject_id, event.position, event.number]),
  );
}

/**
 * Those of the messages that still have no push, for this transaction alone: a receipt that comes late writes the same
 * rows. Locked in the order in which every transaction locks them.
 */
export async function lockMissedStatuses(
  database: Database,
  trx: Db,
  found: readonly MissedStatus[],
): Promise<MissedStatus[]> {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', batch_id: 'text', position: 'bigint' },
    found.map((row) => [row.organization_id, row.batch_id, row.position]),
  );
  const { rows } = await sql<Pick<MessageRow, 'batch_id' | 'position'>>`
    select message.batch_id, message.position
    from ${given}
    join message on message.organization_id = given.organization_id and message.batch_id = given.batch_id
      and message.position = given.position
    where message.push_id is null
    order by message.organization_id, message.batch_id, message.position ${lockingRows(database, 'message')}
  `.execute(trx);
  const locked = new Set(rows.map(({ batch_id, position }) => `${batch_id} ${position}`));
  return found.filter(({ batch_id, position }) => locked.has(`${batch_id} ${position}`));
}

/** Notes the push of each message. */
export async function setPushesOfMessages(
  database: Database,
  trx: Db,
  missed: readonly MissedStatus[],
  pushIds: readonly string[],
): Promise<void> {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', batch_id: 'text', position: 'bigint', push_id: 'text' },
    missed.map((row, index) => [row.organization_id, row.batch_id, row.position, pushIds[index]]),
  );
  await sql`
    update message set push_id = given.push_id from ${given}
    where message.organization_id = given.organization_id and message.batch_id = given.batch_id
      and message.position = given.position`.execute(trx);
}

/** Notes the push of each reply. */
export async function setPushesOfReplies(
  database: Database,
  trx: Db,
  missed: readonly MissedReply[],
  pushIds: readonly string[],
): Promise<void> {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', id: 'text', push_id: 'text' },
    missed.map((row, index) => [row.organization_id, row.id, pushIds[index]]),
  );
  await sql`
    update reply set push_id = given.push_id from ${given}
    where reply.organization_id = given.organization_id and reply.id = given.id`.execute(trx);
}
