import type { PushState } from '@waxwing/contract/messaging-api.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { type PushContent, toStoredContent } from './push-event.ts';

/** A push about to be queued, if its organization's switch is on. */
export interface NewPush {
  readonly organizationId: string;
  readonly kind: PushKind;
  readonly id: string;
  readonly at: number;
  readonly content: PushContent;
}

export interface QueuedRow {
  readonly id: string;
  readonly setting_id: string;
}

/** Queues what the settings, as the transaction sees them, want queued; answers which. */
export function insertWaiting(database: Database, pushes: readonly NewPush[]): RawBuilder<QueuedRow> {
  const event = database.rowSource(
    'event',
    { organization_id: 'text', kind: 'text', id: 'text', at: 'bigint', payload: 'text' },
    pushes.map(({ organizationId, kind, id, at, content }) => [organizationId, kind, id, at, toStoredContent(content)]),
  );
  return sql<QueuedRow>`
    insert into push (organization_id, id, setting_id, shard, due_at, queued_at, created_at, attempts, attempts_before, payload)
    select s.organization_id, event.id, s.id, s.shard, event.at, event.at, event.at, 0, 0, event.payload
    from ${event}
    join push_setting s on s.organization_id = event.organization_id and s.kind = event.kind and s.enabled = 1
    returning id, setting_id`;
}

/** Waiting ones first: what ends between the two readings is then found as ended. */
export async function readStates(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PushState>> {
  if (ids.length === 0) return new Map();
  const given = database.rowSource(
    'given',
    { id: 'text' },
    ids.map((id) => [id]),
  );
  const waiting = await sql<{ id: string; state: PushState }>`
    select p.id as id, 'waiting' as state
    from ${database.lookUp.join(given, 'push', 'p', sql`p.id = given.id and p.organization_id = ${organizationId}`)}
  `.execute(database.db);
  const ended = await sql<{ id: string; state: PushState }>`
    select h.id as id, h.state as state
    from ${database.lookUp.join(given, 'push_history', 'h', sql`h.organization_id = ${organizationId} and h.id = given.id`)}
  `.execute(database.db);
  return new Map([...waiting.rows, ...ended.rows].map(({ id, state }) => [id, state]));
}
