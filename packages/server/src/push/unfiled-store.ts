import { sql } from 'kysely';
import type { Database, Db } from '../database/connect.ts';
import type { PushRow, PushSettingRow } from '../database/push-tables.ts';
import { lockingFreeRows } from '../database/row-lock.ts';

export type UnfiledPush = Pick<PushRow, 'id' | 'setting_id' | 'shard' | 'queued_at'>;

/** In the words of the partial index, so that it is used. */
const isUnfiled = sql<boolean>`filed = 0`;

/** In the order of their ids, from behind `after`. */
export async function readUnfiled(db: Db, after: string, limit: number): Promise<UnfiledPush[]> {
  return db
    .selectFrom('push')
    .select(['id', 'setting_id', 'shard', 'queued_at'])
    .where(isUnfiled)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** More are unfiled for a moment only: before what a dead server left is looked at. */
const unfiledSeen = 10_000;

/** Before and behind every id. */
const ends = { from: '', before: 'g' };

/** Those of a setting among the newest that are unfiled: these are few, and in no order but that of time. */
export function unfiledOf(
  db: Db,
  setting: Pick<PushSettingRow, 'id'>,
  {
    from: first = ends.from,
    before = ends.before,
  }: { readonly from?: string | undefined; readonly before?: string | undefined } = {},
) {
  return db
    .selectFrom((from) =>
      from
        .selectFrom('push')
        .selectAll()
        .where(isUnfiled)
        .where('id', '>=', first)
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(unfiledSeen)
        .as('unfiled'),
    )
    .where('unfiled.setting_id', '=', setting.id);
}

/**
 * From now on these are found by their settings. One that is being settled at the moment is left alone, since two
 * transactions that each wait for a row of the other would end as one: it has ended then, or is filed by its retry.
 */
export async function filePushes(database: Database, ids: readonly string[]): Promise<void> {
  const { lookUp } = database;
  const given = database.rowSource(
    'given',
    { id: 'text' },
    ids.map((id) => [id]),
  );
  const unfiled = sql`
    select p.id from push p where p.filed = 0 and ${lookUp.oneOf('p.id', sql`select given.id from ${given}`)}
    ${lockingFreeRows(database, 'p')}`;
  const filing = sql`update push set filed = 1 where ${lookUp.oneOf('id', unfiled)}`;
  await database.runBatch([...lookUp.first, filing].map((query) => query.compile(database.db)));
}
