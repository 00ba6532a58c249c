import { type CompiledQuery, sql } from 'kysely';
import type { Database, Db } from './database.ts';
import { isNotNullViolation } from './sql/database-errors.ts';

/** What servers keep in memory, or a list shows, and must be heard of when it changes. */
export type ChangedKind =
  | 'organization'
  | 'certificate'
  | 'deployment'
  | 'retrieval'
  | 'token'
  | 'push-setting'
  | 'messaging-key'
  | 'messaging'
  | 'account'
  | 'invitation'
  | 'session'
  | 'management-key'
  | 'alert-channel'
  | 'authority'
  | 'dns-provider'
  | 'alert'
  | 'carrier';

export interface Change {
  readonly kind: ChangedKind;
  readonly subjectId: string;
  /** Its organization; undefined: only operators may hear of it. */
  readonly organizationId?: string | undefined;
}

/**
 * Notes in the changing transaction what changed. The counter's row stays locked until the transaction ends, so
 * revisions become visible in their own order and a reader that has seen revision n has missed nothing before it.
 */
export async function noteChanges(trx: Db, changes: readonly Change[], at: number): Promise<void> {
  if (changes.length === 0) return;
  const counter = await trx
    .updateTable('change_counter')
    .set({ value: sql<number>`value + ${changes.length}` })
    .where('name', '=', 'retrieval')
    .returning('value')
    .executeTakeFirstOrThrow();
  const first = counter.value - changes.length + 1;
  await trx
    .insertInto('change_log')
    .values(
      changes.map((change, index) => ({
        revision: first + index,
        kind: change.kind,
        subject_id: change.subjectId,
        at,
        organization_id: change.organizationId ?? null,
      })),
    )
    .execute();
}

export async function readRevision(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_counter')
    .select('value')
    .where('name', '=', 'retrieval')
    .executeTakeFirstOrThrow();
  return row.value;
}

/**
 * For the end of a transaction that was decided on by what was true at a revision: fails it when anything of these kinds was
 * noted after that. While nothing at all was, it reads one row.
 */
export function requiringUnchanged(database: Database, since: number, kinds: readonly ChangedKind[]): CompiledQuery {
  // The column refuses null.
  return sql`update change_counter set value = null where name = 'retrieval' and value > ${since}
    and exists (select 1 from change_log where revision > ${since} and kind in (${sql.join(kinds)}))
  `.compile(database.db);
}

/** Whether it is by `requiringUnchanged` that a transaction failed. */
export function isChangedMeanwhile(error: unknown): boolean {
  return isNotNullViolation(error) && /(?:^|change_counter\.)value$/.test(error.constraint ?? '');
}

/** How far changes have come. */
export interface ChangePosition {
  readonly revision: number;
  /**
   * What is noted there; undefined where nothing is, or no longer. The number alone does not tell one course of changes from another: a
   * standby that takes over without the last of them gives their numbers to the next.
   */
  readonly note: string | undefined;
}

const noteOf = (row: { readonly at: number; readonly kind: string; readonly subject_id: string }): string =>
  `${row.at} ${row.kind} ${row.subject_id}`;

export async function readPosition(db: Db): Promise<ChangePosition> {
  const { value, at, kind, subject_id } = await db
    .selectFrom('change_counter')
    .leftJoin('change_log', 'change_log.revision', 'change_counter.value')
    .select(['change_counter.value', 'change_log.at', 'change_log.kind', 'change_log.subject_id'])
    .where('change_counter.name', '=', 'retrieval')
    .executeTakeFirstOrThrow();
  const isNoted = at !== null && kind !== null && subject_id !== null;
  return { revision: value, note: isNoted ? noteOf({ at, kind, subject_id }) : undefined };
}

/** Whether nothing has changed between two looks. A note may have been removed meanwhile; none comes back. */
export function isSamePosition(former: ChangePosition, current: ChangePosition): boolean {
  return former.revision === current.revision && (current.note === undefined || current.note === former.note);
}

/** More changes than this at once, and forgetting everything is cheaper than going through them. */
export const changesPerRead = 5_000;

/**
 * Changes after `from` up to `to`.
 * @returns undefined when they are no longer all known (removed, or more than `changesPerRead`), or `from` is in a course of changes
 *   that another has taken the place of: forget everything.
 */
export async function readChanges(db: Db, from: ChangePosition, to: number): Promise<Change[] | undefined> {
  const { revision } = from;
  if (to - revision > changesPerRead) return undefined;
  const rows = await db
    .selectFrom('change_log')
    .select(['revision', 'at', 'kind', 'subject_id'])
    .where('revision', '>=', revision)
    .where('revision', '<=', to)
    .execute();
  const there = rows.find((row) => row.revision === revision);
  if (there !== undefined && noteOf(there) !== from.note) return undefined;
  const changes = rows.filter((row) => row !== there);
  if (changes.length !== to - revision) return undefined;
  return changes.map((row) => ({ kind: row.kind as ChangedKind, subjectId: row.subject_id }));
}

/** A change as event streams tell of it. */
export interface NotedChange extends Change {
  readonly revision: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** At most so many changes after `revision`, in their order. */
export async function readNotedChanges(db: Db, revision: number, limit: number): Promise<NotedChange[]> {
  const rows = await db
    .selectFrom('change_log')
    .selectAll()
    .where('revision', '>', revision)
    .orderBy('revision')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    revision: row.revision,
    kind: row.kind as ChangedKind,
    subjectId: row.subject_id,
    at: row.at,
    organizationId: row.organization_id ?? undefined,
  }));
}

/** Removes notes older than `before`: every living node has read them long ago. */
export async function forgetChanges(db: Db, before: number): Promise<void> {
  await db.deleteFrom('change_log').where('at', '<', before).execute();
}
