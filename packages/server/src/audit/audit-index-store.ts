import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { AuditIndexRunRow } from '../database/audit-tables.ts';
import {
  type Database,
  type Db,
  isForeignKeyViolation,
  isNotNullViolation,
  isUniqueViolation,
} from '../database/connect.ts';
import type { PackedPages, Place, RecordKey, RecordPage } from './index-records.ts';
import { certificateMark, separator } from './index-terms.ts';

/** How far the index has come: the links up to `link`, in runs up to the number `lastRun`. */
export interface IndexState {
  readonly link: number;
  readonly lastRun: number;
}

export async function readIndexState(db: Db): Promise<IndexState> {
  const row = await db
    .selectFrom('audit_index_state')
    .select(['link', 'last_run'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return { link: row.link, lastRun: row.last_run };
}

/** Some links that are not indexed yet, `entries` of them at least one. */
export interface WaitingLinks {
  readonly first: number;
  readonly last: number;
  readonly entries: number;
}

/**
 * The next links behind `after`: as many as have `most` entries together, or one that has more. Undefined where fewer than
 * `enough` entries wait.
 */
export async function readWaiting(
  db: Db,
  after: number,
  enough: number,
  most: number,
): Promise<WaitingLinks | undefined> {
  const { rows } = await sql<{ first: number; last: number | null; waiting: number; fitting: number | null }>`
    select min(link) as first, max(total) as waiting,
      max(case when total <= ${most} then link end) as last,
      max(case when total <= ${most} then total end) as fitting
    from (
      select link, sum(entries) over (order by link) as total
      from (select link, entries from audit_link where link > ${after} order by link limit ${most}) as nearest
    ) as counted`.execute(db);
  const [row] = rows;
  if (row === undefined || Number(row.waiting ?? 0) < enough) return undefined;
  return { first: row.first, last: row.last ?? row.first, entries: Number(row.fitting ?? row.waiting) };
}

/** Which certificate's private key an entry is the hand-out of; null for any other entry, whose detail is not looked at. */
export function certificateOf({ jsonField }: Database): RawBuilder<string | null> {
  return sql`case when action = 'private-key.hand-out' then ${jsonField('detail', 'certificate')} end`;
}

/** The terms of the entries of some links, as `readTerms` reads them. */
export async function readTermText(database: Database, { first, last }: WaitingLinks): Promise<string> {
  const end = sql.lit(separator);
  const term = (column: RawBuilder<unknown>) => sql`replace(${column}, ${end}, '') || ${end}`;
  const certificate = sql`coalesce(${sql.lit(certificateMark)} || ${certificateOf(database)}, '')`;
  const { rows } = await sql<{ terms: string | null }>`
    select string_agg(
      cast(link as text) || ${end} || cast(position as text) || ${end} || ${term(sql`subject`)}
        || ${term(sql`organization_id`)} || ${term(certificate)},
      '' order by link, position) as terms
    from audit_entry where link >= ${first} and link <= ${last}`.execute(database.db);
  return rows[0]?.terms ?? '';
}

export async function readRuns(db: Db): Promise<AuditIndexRunRow[]> {
  return db.selectFrom('audit_index_run').selectAll().execute();
}

/**
 * Makes the transactions that change the index. Each fails as `isOutrun` tells where another server has done the same, or has
 * gone on from it.
 */
export interface IndexWrites {
  addRun(former: IndexState, links: WaitingLinks, pages: PackedPages): readonly CompiledQuery[];
  beginRun(former: IndexState, sources: readonly AuditIndexRunRow[]): readonly CompiledQuery[];
  /** @param written how many pages the run has so far */
  addPages(run: AuditIndexRunRow, written: number, pages: PackedPages): readonly CompiledQuery[];
  /** The run takes the place of its sources. */
  finishRun(run: AuditIndexRunRow, sources: readonly AuditIndexRunRow[]): readonly CompiledQuery[];
}

export function indexWrites(database: Database): IndexWrites {
  const { db } = database;

  /** Where the state has moved, its columns become null, which they refuse: the transaction fails as a whole. */
  function moveState(former: IndexState, link: number): CompiledQuery {
    const isHere = sql`link = ${former.link} and last_run = ${former.lastRun}`;
    return sql`update audit_index_state
      set link = case when ${isHere} then cast(${link} as bigint) end, last_run = case when ${isHere} then last_run + 1 end
      where id = 1`.compile(db);
  }

  function insertRun(row: AuditIndexRunRow): CompiledQuery {
    return db.insertInto('audit_index_run').values(row).compile();
  }

  function insertPages(run: number, { bytes, pages }: PackedPages): CompiledQuery[] {
    if (pages.length === 0) return [];
    const given = database.rowSource(
      's',
      { hash: 'bigint', link: 'bigint', position: 'bigint', start: 'bigint', length: 'bigint' },
      pages.map(({ hash, link, position, start, length }) => [hash, link, position, start + 1, length]),
    );
    const records = sql`substr(${database.bytes(bytes)}, cast(s.start as integer), cast(s.length as integer))`;
    return [
      sql`insert into audit_index_page (run, hash, link, position, records)
        select ${run}, s.hash, s.link, s.position, ${records} from ${given}`.compile(db),
    ];
  }

  return {
    addRun(former, { first, last }, pages) {
      const id = former.lastRun + 1;
      const row = {
        id,
        level: 0,
        first_link: first,
        last_link: last,
        state: 'ready',
        pages: pages.pages.length,
      } as const;
      return [moveState(former, last), insertRun(row), ...insertPages(id, pages)];
    },
    beginRun(former, sources) {
      const row: AuditIndexRunRow = {
        id: former.lastRun + 1,
        level: (sources[0]?.level ?? 0) + 1,
        first_link: sources[0]?.first_link ?? 0,
        last_link: sources.at(-1)?.last_link ?? 0,
        state: 'building',
        pages: 0,
      };
      return [moveState(former, former.link), insertRun(row)];
    },
    addPages: ({ id }, written, pages) => [
      sql`update audit_index_run
        set pages = case when pages = ${written} and state = 'building' then pages + ${pages.pages.length} end
        where id = ${id}`.compile(db),
      ...insertPages(id, pages),
    ],
    finishRun: ({ id }, sources) => [
      sql`update audit_index_run set state = case when state = 'building' then 'ready' end where id = ${id}`.compile(
        db,
      ),
      db
        .updateTable('audit_index_run')
        .set({ state: 'dropped' })
        .where(
          'id',
          'in',
          sources.map((source) => source.id),
        )
        .compile(),
    ],
  };
}

/** A run that is gone refuses its pages by the foreign key. */
export function isOutrun(error: unknown): boolean {
  return isNotNullViolation(error) || isUniqueViolation(error) || isForeignKeyViolation(error);
}

export async function dropRun(db: Db, run: number): Promise<void> {
  await db.updateTable('audit_index_run').set({ state: 'dropped' }).where('id', '=', run).execute();
}

/** Removes the first pages of a dropped run, and at last the run. */
export async function removePages(database: Database, run: number, most: number): Promise<void> {
  const { db } = database;
  const next = await db
    .selectFrom('audit_index_page')
    .select(['hash', 'link', 'position'])
    .where('run', '=', run)
    .orderBy('hash')
    .orderBy('link')
    .orderBy('position')
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  const pages = db.deleteFrom('audit_index_page').where('run', '=', run);
  if (next !== undefined) {
    await pages.where(comparedWith(next, sql`<`)).execute();
    return;
  }
  await database.runBatch([pages.compile(), db.deleteFrom('audit_index_run').where('id', '=', run).compile()]);
}

/** As one comparison of rows, which both databases answer from the key. */
function comparedWith({ hash, link, position }: RecordKey, operator: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(hash, link, position) ${operator} (${hash}, ${link}, ${position})`;
}

/** The last page of a run of those that begin before `end`, or at it. */
export async function readLastPage(db: Db, run: number, end?: RecordKey): Promise<RecordPage | undefined> {
  let query = db
    .selectFrom('audit_index_page')
    .select(['hash', 'link', 'position', 'records'])
    .where('run', '=', run)
    .orderBy('hash', 'desc')
    .orderBy('link', 'desc')
    .orderBy('position', 'desc')
    .limit(1);
  if (end !== undefined) query = query.where(comparedWith(end, sql`<=`));
  return query.executeTakeFirst();
}

/** The next `most` pages of each of some runs, behind the page that begins with the key. */
export async function readPages(
  db: Db,
  places: readonly { readonly run: number; readonly after: RecordKey }[],
  most: number,
): Promise<(RecordPage & { readonly run: number })[]> {
  const parts = places.map(
    ({ run, after }) => sql`select * from (
      select run, hash, link, position, records from audit_index_page
      where run = ${run} and ${comparedWith(after, sql`>`)}
      order by hash, link, position limit ${most}) as part`,
  );
  const { rows } = await sql<RecordPage & { run: number }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}

/** A run that may have entries of a hash, with the last of its pages that begin before the place. */
export interface FoundPage {
  readonly first_link: number;
  readonly records: Uint8Array | null;
}

/** So many runs are looked into at once; a trail of some million entries has about as many. */
export const runsPerLook = 16;

/**
 * The newest runs that have links after `afterLink` and before a place. What is put together meanwhile is in the one or in the
 * other: both tables are read in one statement, which says by the place alone how far an earlier one has come.
 */
export async function findPages(db: Db, hash: number, before: Place, afterLink: number): Promise<FoundPage[]> {
  const { rows } = await sql<FoundPage>`
    select first_link, (
      select records from audit_index_page where run = audit_index_run.id
        and ${comparedWith({ hash, ...before }, sql`<`)}
      order by hash desc, link desc, position desc limit 1) as records
    from audit_index_run
    where state = 'ready' and first_link <= ${before.link} and last_link > ${afterLink}
    order by first_link desc limit ${runsPerLook}`.execute(db);
  return rows;
}
