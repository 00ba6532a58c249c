import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { PushRow } from '../../database/schema/push-tables.ts';
import { readStoredContent, type WaitingPush } from '../outbox/push-event.ts';

/** Where reading on begins: behind this push, in the order in which they are due. */
export interface DueCursor {
  readonly dueAt: number;
  readonly id: string;
}

const fromTheStart: DueCursor = { dueAt: -1, id: '' };

/** What a setting has due at `now`, the longest due first. */
export async function readDue(
  db: Db,
  setting: { readonly shard: number; readonly id: string },
  now: number,
  limit: number,
  after: DueCursor = fromTheStart,
): Promise<WaitingPush[]> {
  const rows = await dueOf(db, setting, now, after).limit(limit).execute();
  return rows.map(toWaiting);
}

function dueOf(db: Db, setting: { readonly shard: number; readonly id: string }, now: number, after: DueCursor) {
  return db
    .selectFrom('push')
    .selectAll()
    .where('shard', '=', setting.shard)
    .where('setting_id', '=', setting.id)
    .where(sql<boolean>`(due_at, id) > (${after.dueAt}, ${after.id})`)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id');
}

/** What is to be ended without another attempt, the longest due first; all of it when `dueBefore` is undefined. */
export async function readToEnd(
  db: Db,
  setting: { readonly shard: number; readonly id: string },
  dueBefore: number | undefined,
  limit: number,
  after: DueCursor = fromTheStart,
): Promise<Omit<WaitingPush, 'content'>[]> {
  const rows = await db
    .selectFrom('push')
    .select(['organization_id', 'id', 'setting_id', 'due_at', 'queued_at', 'attempts', 'attempts_before'])
    .where('shard', '=', setting.shard)
    .where('setting_id', '=', setting.id)
    .where(sql<boolean>`(due_at, id) > (${after.dueAt}, ${after.id})`)
    .where('due_at', '<', dueBefore ?? Number.MAX_SAFE_INTEGER)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toFacts);
}

/** A setting of one of the shards with something waiting, and when the first of it is due. */
export interface WaitingSetting {
  readonly shard: number;
  readonly settingId: string;
  readonly dueAt: number;
}

/**
 * Which settings of these shards have something waiting: two look-ups in the index for each, however much waits
 * behind it. (A loose index scan, which neither database makes of `distinct` by itself:
 * https://wiki.postgresql.org/wiki/Loose_indexscan)
 */
export async function readWaitingSettings(database: Database, shards: readonly number[]): Promise<WaitingSetting[]> {
  if (shards.length === 0) return [];
  const { rows } = await waitingSettings(database, shards).execute(database.db);
  return rows;
}

/** With when the first or the last of what they have waiting is due. */
function waitingSettings(
  database: Database,
  shards: readonly number[],
  end: 'first' | 'last' = 'first',
): RawBuilder<WaitingSetting> {
  const dueAt = end === 'first' ? sql`min(p.due_at)` : sql`max(p.due_at)`;
  return sql<WaitingSetting>`
    with recursive ${lanesOf(database, shards)}
    select shard, setting_id as "settingId", (
      select ${dueAt} from push p where p.shard = lane.shard and p.setting_id = lane.setting_id
    ) as "dueAt" from lane where setting_id is not null`;
}

/** The settings of these shards that have something waiting, and for each shard a row with none. */
function lanesOf(database: Database, shards: readonly number[]): RawBuilder<unknown> {
  const held = database.rowSource(
    'held',
    { shard: 'bigint' },
    shards.map((shard) => [shard]),
  );
  return sql`lane(shard, setting_id) as (
    select held.shard, (select min(p.setting_id) from push p where p.shard = held.shard) from ${held}
    union all
    select lane.shard, (
      select min(p.setting_id) from push p where p.shard = lane.shard and p.setting_id > lane.setting_id
    ) from lane where lane.setting_id is not null
  )`;
}

/**
 * Makes pushes due at `now` that are due later than `latest`. No wait is that long: the wall clock was ahead when it
 * was written. It works in chunks, so that other callers get the writer in between.
 */
export async function pullForward(
  database: Database,
  shards: readonly number[],
  { latest, now }: { readonly latest: number; readonly now: number },
): Promise<void> {
  if (shards.length === 0) return;
  const { rows } = await waitingSettings(database, shards, 'last').execute(database.db);
  for (const { shard, settingId } of rows.filter(({ dueAt }) => dueAt > latest)) {
    let count = pulledAtOnce;
    // Each chunk a millisecond later: what is due at the same moment is sorted each time that some of it is read.
    for (let chunk = 0; count === pulledAtOnce; chunk += 1) {
      const late = await dueOf(database.db, { shard, id: settingId }, Number.MAX_SAFE_INTEGER, {
        dueAt: latest + 1,
        id: '',
      })
        .limit(pulledAtOnce)
        .execute();
      if (late.length > 0) await pullingForward(database, late, now + chunk).execute(database.db);
      count = late.length;
    }
  }
}

const pulledAtOnce = 500;

function pullingForward(
  database: Database,
  pushes: readonly Pick<PushRow, 'organization_id' | 'id'>[],
  now: number,
): RawBuilder<unknown> {
  const source = database.rowSource(
    's',
    { organization_id: 'text', id: 'text' },
    pushes.map(({ organization_id, id }) => [organization_id, id]),
  );
  return sql`
    update push as p set due_at = ${now} from ${source} where p.organization_id = s.organization_id and p.id = s.id`;
}

function toFacts(row: Omit<PushRow, 'payload' | 'shard' | 'created_at'>): Omit<WaitingPush, 'content'> {
  return {
    organizationId: row.organization_id,
    id: row.id,
    settingId: row.setting_id,
    dueAt: row.due_at,
    queuedAt: row.queued_at,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
  };
}

function toWaiting(row: PushRow): WaitingPush {
  return { ...toFacts(row), content: readStoredContent(row.payload) };
}
