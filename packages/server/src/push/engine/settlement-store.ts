import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { lockLeases } from '../../database/lease-store.ts';
import type { Flag } from '../../database/schema/column-types.ts';
import type { AttemptColumns } from '../../database/schema/push-tables.ts';
import type { SourceType } from '../../database/sql/row-source.ts';

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
 * Settles any number of pushes in one transaction. An ended push leaves the hot table for history, together with its
 * last attempt; any other push gets its next due time, and its attempt is logged.
 * A settlement changes nothing when its lease has moved on, when it was made before (so one whose commit had an unknown
 * outcome can be repeated), or when it would end a push as off while the switch is on.
 * @returns the ids of pushes that keep waiting because their switch is on again
 */
export async function settle(database: Database, settlements: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const queries = [...database.lookUp.first, ...settlementQueries(database, settlements)];
  const results = await database.runBatch(queries.map((query): CompiledQuery => query.compile(database.db)));
  if (!settlements.some(isOff)) return none;
  return new Set(((results.at(-1)?.rows ?? []) as { id: string }[]).map(({ id }) => id));
}

const none: ReadonlySet<string> = new Set();

function isOff({ end }: Settlement): boolean {
  return end.state === 'off';
}

/** The statements behind it, in their order; the last one of any that end pushes as off answers which are on. */
export function settlementQueries(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown>[] {
  const leases = [...new Set(settlements.map(({ lease }) => lease))];
  const ended = settlements.filter(({ end }) => end.state !== 'waiting');
  const off = ended.filter(isOff);
  const others = off.length === 0 ? ended : ended.filter((settlement) => !isOff(settlement));
  const waiting = settlements.filter(({ end }) => end.state === 'waiting');
  const attempted = waiting.filter(({ attempt }) => attempt !== undefined);
  return [
    ...lockLeases(database, leases),
    ...(others.length > 0 ? [insertHistory(database, others, unchanged)] : []),
    ...(off.length > 0 ? [insertHistory(database, off, sql`${unchanged} and ${isSwitched(0)}`)] : []),
    ...(ended.length > 0 ? [deleteWaiting(database, ended)] : []),
    ...(attempted.length > 0 ? [insertAttempts(database, attempted)] : []),
    ...(waiting.length > 0 ? [postpone(database, waiting)] : []),
    ...(off.length > 0 ? [findSwitchedOn(database, off)] : []),
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

/**
 * As the switch of the push `p` is now. What was queued since it was turned on is seen together with that or not at all, so
 * nothing has to be locked.
 */
function isSwitched(enabled: Flag): RawBuilder<boolean> {
  return sql`exists (
    select 1 from push_setting st
    where st.organization_id = p.organization_id and st.id = p.setting_id and st.enabled = ${sql.lit(enabled)})`;
}

function insertHistory(
  database: Database,
  settlements: readonly Settlement[],
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
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
    from ${database.lookUp.join(source, 'push', 'p', condition)}`;
}

/** The rows that the statements before have moved to history. No push is ever in both tables. */
function deleteWaiting(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const source = idsOf(database, settlements);
  const moved = sql`h.organization_id = s.organization_id and h.id = s.id`;
  // Ids are drawn at random: one is enough to tell a push from those of all organizations.
  const found = sql`select h.id from ${database.lookUp.join(source, 'push_history', 'h', moved)}`;
  return sql`delete from push where ${database.lookUp.oneOf('id', found)}`;
}

/** Pushes that keep waiting, and must be read again. */
function findSwitchedOn(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  const waits = sql`p.organization_id = s.organization_id and p.id = s.id and ${isSwitched(1)}`;
  return sql`select p.id from ${database.lookUp.join(idsOf(database, settlements), 'push', 'p', waits)}`;
}

function idsOf(database: Database, settlements: readonly Settlement[]): RawBuilder<unknown> {
  return database.rowSource(
    's',
    { organization_id: 'text', id: 'text' },
    settlements.map(({ organizationId, id }) => [organizationId, id]),
  );
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
    update push as p set attempts = p.attempts + s.recorded, due_at = s.due_at from ${source}
    where ${database.lookUp.oneOf('p.id', sql`select given.id from ${ids}`)} and ${unchanged}`;
}
