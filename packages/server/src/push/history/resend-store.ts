import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { PushResendRow, PushSettingRow } from '../../database/schema/push-tables.ts';
import { countUpTo } from '../../database/sql/count-up-to.ts';

export type ResendUnderWay = PushResendRow & Pick<PushSettingRow, 'kind'>;

export async function insertResend(trx: Db, row: PushResendRow): Promise<void> {
  await trx.insertInto('push_resend').values(row).execute();
}

/** Re-sends under way for settings of these shards whose switch is on, the oldest first. */
export async function listResends(db: Db, shards: readonly number[]): Promise<ResendUnderWay[]> {
  if (shards.length === 0) return [];
  return db
    .selectFrom('push_resend')
    .innerJoin('push_setting', (join) =>
      join
        .onRef('push_setting.organization_id', '=', 'push_resend.organization_id')
        .onRef('push_setting.id', '=', 'push_resend.setting_id'),
    )
    .selectAll('push_resend')
    .select('push_setting.kind')
    .where('push_setting.enabled', '=', 1)
    .where('push_resend.shard', 'in', shards)
    .orderBy('push_resend.id')
    .execute();
}

export async function listResendsOf(db: Db, organizationId: string): Promise<PushResendRow[]> {
  return db.selectFrom('push_resend').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute();
}

/**
 * Ended pushes that a re-send comes to next, in the order of their ids. Not those that have ended since it was asked for:
 * a receiver that fails on and on would keep it going for ever.
 */
export async function readUndelivered(db: Db, resend: PushResendRow, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('push_history')
    .select('id')
    .where('setting_id', '=', resend.setting_id)
    // In the words of the partial index, so that it is used.
    .where(sql<boolean>`state <> 'delivered'`)
    .where('state', 'in', resend.states.split(',') as ('failed' | 'off')[])
    .where('id', '>', resend.reached)
    .where('ended_at', '<=', resend.created_at)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** How many a re-send still comes to, counted up to `bound`. */
export function countUndelivered(db: Db, resend: PushResendRow, bound: number): Promise<number> {
  const states = sql.join(resend.states.split(','));
  const rows = sql`push_history where setting_id = ${resend.setting_id} and state <> 'delivered'
    and state in (${states}) and id > ${resend.reached} and ended_at <= ${resend.created_at}`;
  return countUpTo(db, bound, rows);
}

type ResendKey = Pick<PushResendRow, 'organization_id' | 'id'>;

/** A re-send as it is now, for this transaction alone; undefined when it has ended. */
export async function lockResend(database: Database, trx: Db, resend: ResendKey): Promise<PushResendRow | undefined> {
  const { rows } = await lockingResend(database, resend).execute(trx);
  return rows[0];
}

function lockingResend(database: Database, { organization_id, id }: ResendKey): RawBuilder<PushResendRow> {
  return sql<PushResendRow>`
    select push_resend.* from push_resend
    where organization_id = ${organization_id} and id = ${id} ${lockingRows(database, 'push_resend')}`;
}

/** Notes up to where missed events have been queued; the last ones end the re-send. */
export async function moveMissedMark(
  trx: Db,
  resend: ResendKey,
  step: { readonly after: number; readonly queued: number; readonly isLast: boolean },
): Promise<void> {
  const { organization_id, id } = resend;
  if (step.isLast) {
    await trx.deleteFrom('push_resend').where('organization_id', '=', organization_id).where('id', '=', id).execute();
    return;
  }
  await trx
    .updateTable('push_resend')
    .set((row) => ({ missed_after: step.after, moved: row('moved', '+', step.queued) }))
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .execute();
}

/**
 * Moves the next pushes of a re-send back, and the mark behind them. The last step ends the re-send. A late step
 * changes nothing: its shard may have a new owner by then, which has made the same step. Nor does a step move a push
 * that has ended again since it was read.
 */
export async function advanceResend(
  database: Database,
  resend: PushResendRow,
  ids: readonly string[],
  isLast: boolean,
  at: number,
): Promise<void> {
  const pushes = ids.map((id) => ({ organizationId: resend.organization_id, id }));
  // A mark never comes back to where it was.
  const asRead = sql`organization_id = ${resend.organization_id} and id = ${resend.id} and reached = ${resend.reached}`;
  const isStillToMove = sql<boolean>`
    h.state in (${sql.join(resend.states.split(','))}) and h.ended_at <= ${resend.created_at}
    and exists (select 1 from push_resend where ${asRead})`;
  const mark = isLast
    ? sql`delete from push_resend where ${asRead}`
    : sql`update push_resend set reached = ${ids.at(-1) ?? resend.reached}, moved = moved + ${ids.length} where ${asRead}`;
  // Locked, so that all statements behind it see the same mark.
  const moving =
    pushes.length > 0 ? [lockingResend(database, resend), ...moveBack(database, pushes, at, isStillToMove)] : [];
  await database.runBatch([...moving, mark].map((query) => query.compile(database.db)));
}

/**
 * Puts ended pushes back among the waiting ones, under their ids and with a new budget of attempts. Pushes whose switch
 * is off stay, and so do pushes that wait already.
 * @param condition of the ended push `h`
 */
export function moveBack(
  database: Database,
  pushes: readonly { readonly organizationId: string; readonly id: string }[],
  at: number,
  condition = sql<boolean>`true`,
): RawBuilder<unknown>[] {
  const source = database.rowSource(
    's',
    { organization_id: 'text', id: 'text', at: 'bigint' },
    pushes.map(({ organizationId, id }) => [organizationId, id, at]),
  );
  return [
    // The attempt that ended it becomes one of several.
    sql`
      insert into push_attempt (organization_id, push_id, number, at, ms, address, outcome, status, error, excerpt)
      select h.organization_id, h.id, h.attempts, h.at, h.ms, h.address, h.outcome, h.status, h.error, h.excerpt
      from ${source}
      join push_history h on h.organization_id = s.organization_id and h.id = s.id and h.outcome is not null
      join push_setting st on st.organization_id = h.organization_id and st.id = h.setting_id and st.enabled = 1
      where ${condition}
      on conflict do nothing`,
    sql`
      insert into push (organization_id, id, setting_id, shard, due_at, queued_at, created_at, attempts, attempts_before, payload)
      select h.organization_id, h.id, h.setting_id, st.shard, s.at, s.at, h.created_at, h.attempts, h.attempts, h.payload
      from ${source}
      join push_history h on h.organization_id = s.organization_id and h.id = s.id
      join push_setting st on st.organization_id = h.organization_id and st.id = h.setting_id and st.enabled = 1
      where ${condition}
      on conflict do nothing`,
    sql`
      delete from push_history where (organization_id, id) in (
        select p.organization_id, p.id from ${source} join push p on p.organization_id = s.organization_id and p.id = s.id)`,
  ];
}
