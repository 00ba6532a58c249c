import type { AlertNotice, AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { AlertConditionRow } from '../../database/schema/alert-tables.ts';
import type { About } from '../rules/alert-rules.ts';
import type { Known } from '../rules/what-to-tell.ts';

export interface KnownFilter {
  readonly types: readonly AlertType[];
  /** Only conditions about this server, of types that each server decides for itself. */
  readonly ofServer: string | undefined;
}

export async function listKnown(db: Db, { types, ofServer }: KnownFilter): Promise<Known[]> {
  if (types.length === 0) return [];
  let query = db.selectFrom('alert_condition').selectAll().where('type', 'in', types);
  if (ofServer !== undefined) query = query.where('about_id', '=', ofServer);
  return (await query.execute()).map(toKnown);
}

/** The known conditions of a few facts. */
export async function findKnown(db: Db, abouts: readonly About[]): Promise<Known[]> {
  const rows: AlertConditionRow[] = [];
  for (const each of byType(abouts)) {
    rows.push(...(await db.selectFrom('alert_condition').selectAll().where(isAmong(each)).execute()));
  }
  return rows.map(toKnown);
}

export async function putKnown(trx: Db, known: readonly Known[]): Promise<void> {
  if (known.length === 0) return;
  const changing = ['mark', 'notice', 'parameters', 'stage', 'times', 'first_at', 'told_at', 'next_at'] as const;
  await trx
    .insertInto('alert_condition')
    .values(known.map(toRow))
    .onConflict((conflict) =>
      conflict
        .columns(['type', 'organization_id', 'about_id'])
        .doUpdateSet((row) => Object.fromEntries(changing.map((column) => [column, row.ref(`excluded.${column}`)]))),
    )
    .execute();
}

export async function forgetKnown(trx: Db, abouts: readonly About[]): Promise<void> {
  for (const each of byType(abouts)) await trx.deleteFrom('alert_condition').where(isAmong(each)).execute();
}

export function byType<Each extends About>(abouts: readonly Each[]): readonly (readonly Each[])[] {
  return [...Map.groupBy(abouts, ({ type }) => type).values()];
}

/** Within a type, an id belongs to one condition. */
export function isAmong(abouts: readonly About[], table: 'alert' | 'alert_condition' = 'alert_condition') {
  const [type, organization, about] = ['type', 'organization_id', 'about_id'].map((each) =>
    sql.ref(`${table}.${each}`),
  );
  const organizations = [...new Set(abouts.map(({ organizationId }) => organizationId))];
  return sql<boolean>`${type} = ${abouts[0]?.type ?? ''} and ${organization} in (${sql.join(organizations)})
    and ${about} in (${sql.join(abouts.map(({ aboutId }) => aboutId))})`;
}

/** Forgets the conditions of types that no source decides any more, since a module was switched off. */
export async function forgetTypesExcept(db: Db, types: readonly AlertType[]): Promise<void> {
  await db.deleteFrom('alert_condition').where('type', 'not in', types).execute();
}

/** Forgets a rollout that was told once its certificate has another version or is gone. */
export async function forgetFormerMarks(db: Db): Promise<void> {
  await sql`delete from alert_condition where type = 'certificate.rollout-complete' and not exists (
    select 1 from certificate as c
    where c.organization_id = alert_condition.organization_id and c.id = alert_condition.about_id
      and c.current_version = alert_condition.mark)`.execute(db);
}

/** The number of conditions that last, by type. Events are not counted. */
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
