import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import { lockLeases } from '../database/lease-store.ts';
import type { AttemptColumns } from '../database/push-tables.ts';
import type { SourceType } from '../database/row-source.ts';

/** What becomes of a push, and the attempt that decided it, if there was one. */
export interface Settlement {
  readonly organizationId: string;
  readonly id: string;
  /** The lease under which it was decided. */
  readonly lease: string;
  readonly epoch: number;
  /** Recorded outcomes in all when it was decided: who has recorded another meanwhile was right. */
  readonly attempts: number;
  readonly attempt: Readonly<AttemptColumns> | undefined;
  readonly end:
    | { readonly state: 'delivered' | 'failed' | 'off'; readonly at: number }
    | { readonly state: 'waiting'; readonly dueAt: number };
}

/**
 * Settles any number of pushes as one transaction: what has ended leaves the hot table for history with the attempt that
 * ended it, the rest gets its next due time, and its attempt is logged. A settlement under a lease that has moved on
 * changes nothing, and neither does one that was made already: so one whose commit had an unknown outcome can be made
 * again.
 */
export async function settle(database: Database, settlements: readonly Settlement[]): Promise<void> {
  const queries = [...database.lookUp.first, ...settlementQueries(database, settlements)];
  await database.runBatch(queries.map((query): CompiledQuery => query.compile(database.db)));
}

/** The statements behind it, in their order; for a test that looks at their plans. */
export function settlementQueries(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown>[] {
  const leases = [...new Set(settlements.map(({ lease }) => lease))];
  const ended = settlements.filter(({ end }) => end.state !== 'waiting');
  const waiting = settlements.filter(({ end }) => end.state === 'waiting');
  const attempted = waiting.filter(({ attempt }) => attempt !== undefined);
  return [
    ...lockLeases(database, leases),
    ...(ended.length > 0 ? [insertHistory(database, ended), deleteWaiting(database, ended)] : []),
    ...(attempted.length > 0 ? [insertAttempts(database, attempted)] : []),
    ...(waiting.length > 0 ? [postpone(database, waiting)] : []),
  ];
}

const keys = { organization_id: 'text', id: 'text', lease: 'text', epoch: 'bigint', attempts: 'bigint' } as const;

function keysOf({ organizationId, id, lease, epoch, attempts }: Settlement): readonly unknown[] {
  return [organizationId, id, lease, epoch, attempts];
}

const attemptColumns = {
  at: 'bigint',
  ms: 'bigint',
  address: 'text',
  outcome: 'text',
  status: 'bigint',
  error: 'text',
  excerpt: 'text',
} as const satisfies Record<keyof AttemptColumns, SourceType>;

const nothing: readonly null[] = [null, null, null, null, null, null, null];

function attemptOf({ attempt }: Settlement): readonly unknown[] {
  if (attempt === undefined) return nothing;
  const { at, ms, address, outcome, status, error, excerpt } = attempt;
  return [at, ms, address, outcome, status, error, excerpt];
}

/** The push as it was when the settlement was decided, under the lease it was decided under. */
const unchanged = sql`
  p.organization_id = s.organization_id and p.id = s.id and p.attempts = s.attempts
  and exists (select 1 from lease where lease.name = s.lease and lease.epoch = s.epoch)`;

function insertHistory(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const source = database.rowSource(
    's',
    { ...keys, state: 'text', ended_at: 'bigint', ...attemptColumns },
    settlements.map((settlement) => [
      ...keysOf(settlement),
      settlement.end.state,
      'at' in settlement.end ? settlement.end.at : 0,
      ...attemptOf(settlement),
    ]),
  );
  return sql`
    insert into push_history (organization_id, id, setting_id, state, created_at, ended_at, attempts, payload,
      at, ms, address, outcome, status, error, excerpt)
    select p.organization_id, p.id, p.setting_id, s.state, p.created_at, s.ended_at,
      case when s.outcome is null then p.attempts else p.attempts + 1 end, p.payload,
      s.at, s.ms, s.address, s.outcome, s.status, s.error, s.excerpt
    from ${database.lookUp.join(source, 'push', 'p', unchanged)}`;
}

/** What stands in history now, which is what the statement before has moved: no push is ever in both. */
function deleteWaiting(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const source = database.rowSource(
    's',
    { organization_id: 'text', id: 'text' },
    settlements.map(({ organizationId, id }) => [organizationId, id]),
  );
  const moved = sql`h.organization_id = s.organization_id and h.id = s.id`;
  // Ids are drawn at random: one is enough to tell a push from those of all organizations.
  const found = sql`select h.id from ${database.lookUp.join(source, 'push_history', 'h', moved)}`;
  return sql`delete from push where ${database.lookUp.oneOf('id', found)}`;
}

function insertAttempts(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const source = database.rowSource(
    's',
    { ...keys, ...attemptColumns },
    settlements.map((settlement) => [...keysOf(settlement), ...attemptOf(settlement)]),
  );
  return sql`
    insert into push_attempt (organization_id, push_id, number, at, ms, address, outcome, status, error, excerpt)
    select s.organization_id, s.id, s.attempts + 1, s.at, s.ms, s.address, s.outcome, s.status, s.error, s.excerpt
    from ${database.lookUp.join(source, 'push', 'p', unchanged)}`;
}

function postpone(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const source = database.rowSource(
    's',
    { ...keys, recorded: 'bigint', due_at: 'bigint' },
    settlements.map((settlement) => [
      ...keysOf(settlement),
      settlement.attempt === undefined ? 0 : 1,
      'dueAt' in settlement.end ? settlement.end.dueAt : 0,
    ]),
  );
  const ids = database.rowSource(
    'given',
    { id: 'text' },
    settlements.map(({ id }) => [id]),
  );
  return sql`
    update push as p set attempts = p.attempts + s.recorded, due_at = s.due_at, filed = 1 from ${source}
    where ${database.lookUp.oneOf('p.id', sql`select given.id from ${ids}`)} and ${unchanged}`;
}
