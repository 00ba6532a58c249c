import type { AlertNotice, AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type {
  AlertChannelRow,
  AlertConditionRow,
  AlertDeliveryRow,
  AlertRow,
} from '../../database/schema/alert-tables.ts';
import type { Part } from '../../database/sql/bounded-search.ts';
import { isWaiting } from '../channels/alert-channel-store.ts';
import type { About } from '../rules/alert-rules.ts';
import type { Known } from '../rules/what-to-tell.ts';

/** @param ofServer only conditions about this server, of types that each server decides for itself */
export async function listKnown(db: Db, types: readonly AlertType[], ofServer: string | undefined): Promise<Known[]> {
  if (types.length === 0) return [];
  let query = db.selectFrom('alert_condition').selectAll().where('type', 'in', types);
  if (ofServer !== undefined) query = query.where('about_id', '=', ofServer);
  return (await query.execute()).map(toKnown);
}

export async function putKnown(trx: Db, known: Known): Promise<void> {
  const row = toRow(known);
  await trx
    .insertInto('alert_condition')
    .values(row)
    .onConflict((conflict) => conflict.columns(['type', 'organization_id', 'about_id']).doUpdateSet(row))
    .execute();
}

export async function forgetKnown(trx: Db, { type, organizationId, aboutId }: About): Promise<void> {
  await trx
    .deleteFrom('alert_condition')
    .where('type', '=', type)
    .where('organization_id', '=', organizationId)
    .where('about_id', '=', aboutId)
    .execute();
}

/** Forgets events, and conditions of servers, that were last told before that: nobody decides about them any more. */
export async function forgetStale(db: Db, types: readonly AlertType[], before: number): Promise<void> {
  await db
    .deleteFrom('alert_condition')
    .where('type', 'in', types)
    .where((where) => where.fn.coalesce('told_at', 'first_at'), '<', before)
    .execute();
}

/** Of conditions, by type. Events are none. */
export async function countConditions(db: Db): Promise<readonly { readonly type: string; readonly count: number }[]> {
  const rows = await db
    .selectFrom('alert_condition')
    .select((select) => ['type', select.fn.countAll<number>().as('count')])
    .where('mark', '=', '')
    .groupBy('type')
    .execute();
  return rows.map(({ type, count }) => ({ type, count: Number(count) }));
}

function toKnown(row: AlertConditionRow): Known {
  return {
    type: row.type as AlertType,
    organizationId: row.organization_id,
    aboutId: row.about_id,
    mark: row.mark,
    notice: row.notice as AlertNotice,
    parameters: JSON.parse(row.parameters) as Known['parameters'],
    stage: row.stage,
    times: row.times,
    firstAt: row.first_at,
    toldAt: row.told_at,
    nextAt: row.next_at,
  };
}

function toRow(known: Known): AlertConditionRow {
  return {
    type: known.type,
    organization_id: known.organizationId,
    about_id: known.aboutId,
    mark: known.mark,
    notice: known.notice,
    parameters: JSON.stringify(known.parameters),
    stage: known.stage,
    times: known.times,
    first_at: known.firstAt,
    told_at: known.toldAt,
    next_at: known.nextAt,
  };
}

const rowsPerInsert = 500;

export async function insertAlerts(
  trx: Db,
  alerts: readonly AlertRow[],
  deliveries: readonly AlertDeliveryRow[],
): Promise<void> {
  for (const rows of chunks(alerts)) await trx.insertInto('alert').values(rows).execute();
  for (const rows of chunks(deliveries)) await trx.insertInto('alert_delivery').values(rows).execute();
}

function chunks<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsPerInsert);
  return Array.from({ length: count }, (_, index) => rows.slice(index * rowsPerInsert, (index + 1) * rowsPerInsert));
}

/** What is new is tried at once, however long a channel has not accepted anything. */
export async function wakeChannels(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.updateTable('alert_channel').set({ retry_at: 0 }).where('id', 'in', ids).execute();
}

/** Newest first. @param organizationId empty: the instance's; undefined: all */
export async function listAlerts(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<AlertRow[]> {
  let query = db.selectFrom('alert').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(take).execute();
}

export type ListedDelivery = AlertDeliveryRow & Pick<AlertChannelRow, 'retry_at'>;

/** `retry_at` is when the channel is tried again. */
export async function listDeliveries(db: Db, alertIds: readonly string[]): Promise<ListedDelivery[]> {
  if (alertIds.length === 0) return [];
  const rows = await db
    .selectFrom('alert_delivery')
    .leftJoin('alert_channel', 'alert_channel.id', 'alert_delivery.channel_id')
    .selectAll('alert_delivery')
    .select('alert_channel.retry_at')
    .where('alert_id', 'in', alertIds)
    .orderBy('alert_delivery.channel')
    .orderBy('alert_delivery.channel_id')
    .execute();
  return rows.map((row) => ({ ...row, retry_at: row.retry_at ?? 0 }));
}

/** Channels for which something waits that may be tried now. */
export async function listDueChannels(db: Db, now: number): Promise<AlertChannelRow[]> {
  return db
    .selectFrom('alert_channel')
    .selectAll()
    .where('retry_at', '<=', now)
    .where((where) =>
      where.exists(
        where
          .selectFrom('alert_delivery')
          .select('alert_id')
          .whereRef('alert_delivery.channel_id', '=', 'alert_channel.id')
          .where(isWaiting),
      ),
    )
    .orderBy('id')
    .execute();
}

/** What is sent to a channel next as one: what was tried longest ago, then the oldest. Empty when nothing waits. */
export async function readNextDigest(
  db: Db,
  channelId: string,
): Promise<readonly (AlertRow & { digest_id: string })[]> {
  const next = await db
    .selectFrom('alert_delivery')
    .select('digest_id')
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .orderBy('tried_at')
    .orderBy('digest_id')
    .limit(1)
    .executeTakeFirst();
  if (next === undefined) return [];
  return db
    .selectFrom('alert_delivery')
    .innerJoin('alert', 'alert.id', 'alert_delivery.alert_id')
    .selectAll('alert')
    .select('alert_delivery.digest_id')
    .where('alert_delivery.channel_id', '=', channelId)
    .where(isWaiting)
    .where('alert_delivery.digest_id', '=', next.digest_id)
    .orderBy('alert.id')
    .execute();
}

export interface DeliveryEnd {
  readonly channelId: string;
  readonly digestId: string;
  readonly state: AlertDeliveryRow['state'];
  readonly error: string | null;
  readonly at: number;
}

/** Records an attempt, unless what it was about has ended meanwhile. */
export async function recordAttempt(trx: Db, { channelId, digestId, state, error, at }: DeliveryEnd): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set({
      state,
      last_error: error,
      attempts: sql<number>`attempts + 1`,
      tried_at: at,
      ended_at: state === 'waiting' ? null : at,
    })
    .where('channel_id', '=', channelId)
    .where('digest_id', '=', digestId)
    .where(isWaiting)
    .execute();
}

/** Gives up what was tried and is told before this alert: the receiver had its time. */
export async function giveUpBefore(trx: Db, channelId: string, alertId: string, at: number): Promise<void> {
  await trx
    .updateTable('alert_delivery')
    .set({ state: 'failed', ended_at: at })
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .where('tried_at', '>', 0)
    .where('alert_id', '<', alertId)
    .execute();
}

export async function recordChannelAttempt(
  trx: Db,
  id: string,
  attempt: Pick<AlertChannelRow, 'failures' | 'retry_at' | 'last_error'> &
    Partial<Pick<AlertChannelRow, 'last_sent_at'>>,
): Promise<void> {
  await trx.updateTable('alert_channel').set(attempt).where('id', '=', id).execute();
}

/** The suspended organizations. */
export async function listSuspended(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('organization').select('id').where('suspended_at', 'is not', null).execute();
  return new Set(rows.map(({ id }) => id));
}

const rowsPerDelete = 500;

/** Removes alerts told before an id, in chunks. */
export async function forgetAlerts({ db }: Pick<Database, 'db'>, before: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const oldest = await db
      .selectFrom('alert')
      .select('id')
      .where('id', '<', before)
      .orderBy('id')
      .limit(rowsPerDelete)
      .execute();
    const last = oldest.at(-1);
    if (last === undefined) return;
    await db.deleteFrom('alert_delivery').where('alert_id', '<=', last.id).execute();
    await db.deleteFrom('alert').where('id', '<=', last.id).execute();
    if (oldest.length < rowsPerDelete) return;
  }
}
