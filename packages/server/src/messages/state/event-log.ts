import { type CompiledQuery, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { MessageEventRow } from '../../database/schema/message-tables.ts';

/** The numbers of an organization's events: from the one behind `forgotten` to `value`, without a gap. */
export async function findEventCounter(
  db: Db,
  organizationId: string,
): Promise<{ readonly value: number; readonly forgotten: number }> {
  const row = await db
    .selectFrom('message_counter')
    .select(['value', 'forgotten'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row ?? { value: 0, forgotten: 0 };
}

/** A final status (of the message at `position` of the batch `subjectId`) or a reply (`subjectId`). */
export interface NewMessageEvent {
  readonly organizationId: string;
  readonly kind: MessageEventRow['kind'];
  readonly subjectId: string;
  readonly position: number;
}

/**
 * Queries that append events in the transaction that settles their messages. The organization's counter stays locked
 * until it ends, so numbers become visible in order and without gaps: a reader that has seen one has missed nothing
 * before it.
 */
export function appendingEvents(
  database: Database,
  events: readonly NewMessageEvent[],
  at: number,
): readonly CompiledQuery[] {
  if (events.length === 0) return [];
  const byOrganization = Map.groupBy(events, ({ organizationId }) => organizationId);
  return [raisingCounters(database, byOrganization), insertingEvents(database, byOrganization, at)];
}

/** In one order everywhere, so that no two transactions wait for each other. */
function raisingCounters(
  database: Database,
  byOrganization: ReadonlyMap<string, readonly NewMessageEvent[]>,
): CompiledQuery {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', count: 'bigint' },
    [...byOrganization].map(([id, events]) => [id, events.length]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
  return sql`
    insert into message_counter (organization_id, value, forgotten)
    select given.organization_id, given.count, 0 from ${given} where true
    on conflict (organization_id) do update set value = message_counter.value + excluded.value
  `.compile(database.db);
}

/** Numbered back from the raised counter, which this transaction alone sees. */
function insertingEvents(
  database: Database,
  byOrganization: ReadonlyMap<string, readonly NewMessageEvent[]>,
  at: number,
): CompiledQuery {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', back: 'bigint', kind: 'text', subject_id: 'text', position: 'bigint' },
    [...byOrganization].flatMap(([organizationId, own]) =>
      own.map((event, index) => [organizationId, own.length - 1 - index, event.kind, event.subjectId, event.position]),
    ),
  );
  return sql`
    insert into message_event (organization_id, number, kind, subject_id, position, at)
    select given.organization_id, c.value - given.back, given.kind, given.subject_id, given.position, ${at}
    from ${given} join message_counter c on c.organization_id = given.organization_id
  `.compile(database.db);
}
