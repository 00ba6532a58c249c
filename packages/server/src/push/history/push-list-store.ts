import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { PushAttemptRow, PushHistoryRow, PushRow, PushSettingRow } from '../../database/schema/push-tables.ts';
import { countUpTo } from '../../database/sql/count-up-to.ts';

/** A part of a list, in which the newest come first. */
export interface ListPart {
  /** Only ids before this one. */
  readonly before: string | undefined;
  /** Only ids from this one on. */
  readonly from?: string | undefined;
  readonly limit: number;
}

/** Of one setting, the newest first. */
export async function listWaiting(
  db: Db,
  setting: PushSettingRow,
  { before, from, limit }: ListPart,
): Promise<PushRow[]> {
  let query = db.selectFrom('push').selectAll().where('setting_id', '=', setting.id);
  if (before !== undefined) query = query.where('id', '<', before);
  if (from !== undefined) query = query.where('id', '>=', from);
  // A few are found by the index of what is due, and sorted. Of many, the newest of all waiting pushes are soon enough
  // some of theirs: by the key, without a sort.
  if ((await countWaiting(db, setting, many)) < many) query = query.where('shard', '=', setting.shard);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

const many = 10_000;

/**
 * The failed or switched-off pushes of one setting, newest first. There are few of them among many delivered ones, so the
 * condition repeats that of the partial index.
 */
export async function listUndelivered(
  db: Db,
  setting: PushSettingRow,
  { state, before, from, limit }: ListPart & { readonly state: 'failed' | 'off' },
): Promise<PushHistoryRow[]> {
  let query = db.selectFrom('push_history').selectAll().where('setting_id', '=', setting.id);
  if (before !== undefined) query = query.where('id', '<', before);
  if (from !== undefined) query = query.where('id', '>=', from);
  return query
    .where(sql<boolean>`state <> 'delivered'`)
    .where('state', '=', state)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Of an organization, whatever became of them, the newest first. */
export async function listHistory(
  db: Db,
  organizationId: string,
  { before, from, limit }: ListPart,
): Promise<PushHistoryRow[]> {
  let query = db.selectFrom('push_history').selectAll().where('organization_id', '=', organizationId);
  if (before !== undefined) query = query.where('id', '<', before);
  if (from !== undefined) query = query.where('id', '>=', from);
  return query.orderBy('organization_id', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function findEndedOf(db: Db, organizationId: string, ids: readonly string[]): Promise<PushHistoryRow[]> {
  return db
    .selectFrom('push_history')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
}

/** Which of these wait. */
export async function findWaitingIds(db: Db, organizationId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('push')
    .select('id')
    .where('id', 'in', ids)
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findWaiting(db: Db, id: string): Promise<PushRow | undefined> {
  return db.selectFrom('push').selectAll().where('id', '=', id).executeTakeFirst();
}

/** By a look into each organization: their number is small, and no index is kept for it. */
export async function findEnded(db: Db, id: string): Promise<PushHistoryRow | undefined> {
  return (
    db
      .selectFrom('push_history')
      .selectAll()
      // No join: SQLite would begin it with the history, and read all of it.
      .where('organization_id', 'in', (from) => from.selectFrom('organization').select('id'))
      .where('id', '=', id)
      .executeTakeFirst()
  );
}

export async function listAttempts(
  db: Db,
  push: { readonly organization_id: string; readonly id: string },
): Promise<PushAttemptRow[]> {
  return db
    .selectFrom('push_attempt')
    .selectAll()
    .where('organization_id', '=', push.organization_id)
    .where('push_id', '=', push.id)
    .orderBy('number')
    .execute();
}

export interface SettingFigures {
  /** Counted up to a bound. */
  readonly waiting: number;
  readonly failed: number;
  readonly oldestDueAt: number | null;
}

/** Counts stop at `bound`. */
export async function readFigures(db: Db, setting: PushSettingRow, bound: number): Promise<SettingFigures> {
  const failed = sql`push_history where setting_id = ${setting.id} and state <> 'delivered' and state = 'failed'`;
  const oldest = await db
    .selectFrom('push')
    .select((select) => select.fn.min('due_at').as('due_at'))
    .where('shard', '=', setting.shard)
    .where('setting_id', '=', setting.id)
    .executeTakeFirst();
  return {
    waiting: await countWaiting(db, setting, bound),
    failed: await countUpTo(db, bound, failed),
    oldestDueAt: oldest?.due_at ?? null,
  };
}

function countWaiting(db: Db, { shard, id }: PushSettingRow, bound: number): Promise<number> {
  return countUpTo(db, bound, sql`push where shard = ${shard} and setting_id = ${id}`);
}
