import type { EventsSuccess, ReplyEvent, StatusEvent } from '@waxwing/contract/messaging-api.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { MessageEventRow, MessageRow, ReplyRow } from '../../database/schema/message-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { findEventCounter } from '../state/event-log.ts';
import { toVerdict } from '../state/stored-delivery.ts';
import { formatCursor, startOfPage } from './event-cursor.ts';

export interface EventsQuestion {
  readonly organizationId: string;
  /** The number of the last event that was seen; undefined: from the oldest one kept. */
  readonly after: number | undefined;
  readonly limit: number;
}

/**
 * A page of an organization's events, in the order of its counter.
 * @throws Problem `cursor_expired`, `invalid_parameter`
 */
export async function listEvents(database: Database, question: EventsQuestion): Promise<EventsSuccess['data']> {
  const { organizationId, limit } = question;
  const { value: latest, forgotten } = await findEventCounter(database.db, organizationId);
  const start = startOfPage(question.after, { latest, forgotten });
  const rows = await database.db
    .selectFrom('message_event')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('number', '>', start)
    .orderBy('number')
    .limit(limit + 1)
    .execute();
  // Retention may have moved on since the counter was read: what it took must not be skipped in silence. The next
  // request, with the same cursor, is told so.
  const [first] = rows;
  const isTorn = question.after !== undefined && first !== undefined && first.number > start + 1;
  const page = isTorn ? [] : rows.slice(0, limit);
  const events = await describe(database, organizationId, page);
  // Also where there has been no event yet: a reader that goes on from there is told when the first events are removed
  // unread.
  const next = formatCursor(page.at(-1)?.number ?? start);
  return { events, next, more: rows.length > page.length };
}

async function describe(
  database: Database,
  organizationId: string,
  page: readonly MessageEventRow[],
): Promise<(StatusEvent | ReplyEvent)[]> {
  const messages = await findMessages(database, organizationId, page);
  const replies = await findReplies(database, organizationId, page);
  return page.flatMap((event): (StatusEvent | ReplyEvent)[] => {
    const cursor = formatCursor(event.number);
    if (event.kind === 'reply') {
      const reply = replies.get(event.subject_id);
      return reply === undefined ? [] : [toReplyEvent(cursor, reply)];
    }
    const message = messages.get(keyOf(event.subject_id, event.position));
    return message === undefined ? [] : [toStatusEvent(cursor, message)];
  });
}

const keyOf = (batchId: string, position: number): string => `${batchId} ${position}`;

async function findMessages(
  database: Database,
  organizationId: string,
  page: readonly MessageEventRow[],
): Promise<ReadonlyMap<string, MessageRow>> {
  const wanted = page.filter(({ kind }) => kind === 'status');
  if (wanted.length === 0) return new Map();
  const given = database.rowSource(
    'given',
    { batch_id: 'text', position: 'bigint' },
    wanted.map((event) => [event.subject_id, event.position]),
  );
  const { rows } = await sql<MessageRow>`
    select m.* from ${given}
    join message m on m.organization_id = ${organizationId} and m.batch_id = given.batch_id
      and m.position = given.position
  `.execute(database.db);
  return new Map(rows.map((row) => [keyOf(row.batch_id, row.position), row]));
}

async function findReplies(
  database: Database,
  organizationId: string,
  page: readonly MessageEventRow[],
): Promise<ReadonlyMap<string, ReplyRow>> {
  const wanted = page.filter(({ kind }) => kind === 'reply');
  if (wanted.length === 0) return new Map();
  const given = database.rowSource(
    'given',
    { id: 'text' },
    wanted.map((event) => [event.subject_id]),
  );
  const { rows } = await sql<ReplyRow>`
    select r.* from ${given} join reply r on r.organization_id = ${organizationId} and r.id = given.id
  `.execute(database.db);
  return new Map(rows.map((row) => [row.id, row]));
}

function toStatusEvent(cursor: string, row: MessageRow): StatusEvent {
  const verdict = toVerdict(row.status ?? 'UNDELIV', row.memo);
  return {
    cursor,
    kind: 'status',
    batch_id: row.batch_id,
    mobile: row.mobile,
    ...verdict,
    simulated: row.simulated === 1,
    settled_at: toRfc3339(row.settled_at ?? row.accepted_at),
  };
}

function toReplyEvent(cursor: string, row: ReplyRow): ReplyEvent {
  return {
    cursor,
    kind: 'reply',
    mobile: row.sender,
    message: row.content,
    simulated: row.simulated === 1,
    received_at: toRfc3339(row.received_at),
  };
}
