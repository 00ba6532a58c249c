import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { PushMinuteRow } from '../../database/schema/push-tables.ts';
import { bucketNames } from './push-figures.ts';

const summed = ['delivered', ...bucketNames] as const;
const columns = ['organization_id', 'setting_id', 'minute', ...summed] as const;

/** Adds to what other nodes and former calls have counted. */
export async function addMinutes(database: Database, rows: readonly PushMinuteRow[]): Promise<void> {
  // In one order everywhere, so that no two nodes wait for each other.
  const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const given = database.rowSource(
    'given',
    {
      organization_id: 'text',
      setting_id: 'text',
      minute: 'bigint',
      ...Object.fromEntries(summed.map((name) => [name, 'bigint' as const])),
    },
    sorted.map((row) => columns.map((column) => row[column])),
  );
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const sums = sql.join(
    summed.map((name) => sql`${sql.ref(name)} = push_minute.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  );
  await sql`
    insert into push_minute (${names}) select ${names} from ${given} where true
    on conflict (organization_id, setting_id, minute) do update set ${sums}`.execute(database.db);
}

const keyOf = (row: PushMinuteRow): string => `${row.setting_id} ${row.minute}`;

/** Of one setting, oldest first. */
export async function readMinutes(
  db: Db,
  setting: { readonly organization_id: string; readonly id: string },
  since: number,
): Promise<PushMinuteRow[]> {
  return db
    .selectFrom('push_minute')
    .selectAll()
    .where('organization_id', '=', setting.organization_id)
    .where('setting_id', '=', setting.id)
    .where('minute', '>=', since)
    .orderBy('minute')
    .execute();
}

/** Of all settings together. */
export async function sumMinutes(
  db: Db,
  from: number,
  before: number,
): Promise<{ readonly attempts: number; readonly delivered: number }> {
  const attempts = sql.join(
    bucketNames.map((name) => sql.ref(name)),
    sql` + `,
  );
  const { rows } = await sql<{ attempts: number | null; delivered: number | null }>`
    select cast(sum(${attempts}) as bigint) as attempts, cast(sum(delivered) as bigint) as delivered
    from push_minute where minute >= ${from} and minute < ${before}`.execute(db);
  return { attempts: rows[0]?.attempts ?? 0, delivered: rows[0]?.delivered ?? 0 };
}

/** Removes the oldest minute, of all settings, if it is before `before`. @returns whether there may be more */
export async function forgetOldestMinute(db: Db, before: number): Promise<boolean> {
  const oldest = await db
    .selectFrom('push_minute')
    .select((select) => select.fn.min('minute').as('minute'))
    .executeTakeFirst();
  if (oldest?.minute == null || oldest.minute >= before) return false;
  await db.deleteFrom('push_minute').where('minute', '=', oldest.minute).execute();
  return true;
}
