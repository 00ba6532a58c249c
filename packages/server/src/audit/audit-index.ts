/**
 * Finds entries of the audit trail by organization, subject or certificate. Entries lie in the order of the chain. An
 * index kept in the same transaction would triple what a hand-out costs SQLite's writer, so the index follows in small
 * portions, and a look-up goes through the entries that it has not reached yet.
 */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Database, type Db, unlessUnavailable } from '../database/database.ts';
import type { AuditEntryRow, AuditIndexRow } from '../database/schema/audit-tables.ts';
import { repeatingWorker, type Worker } from '../runtime/supervisor.ts';
import { linksPerLook, nextLinks, portionEnds } from './audit-portion.ts';

/** Where an entry stands in the chain. */
export interface Place {
  readonly link: number;
  readonly position: number;
}

export interface AuditFilter {
  readonly organizationId?: string;
  readonly subject?: string;
  /** Only the hand-outs of this certificate's private keys. */
  readonly handedOut?: string;
  /** Goes on with what stands before this entry. */
  readonly before?: Place | undefined;
  readonly limit: number;
}

/** Newest first, of links after `afterLink`. */
export async function listEntries(
  database: Database,
  afterLink: number,
  filter: AuditFilter,
): Promise<AuditEntryRow[]> {
  const term = termOf(filter);
  if (term === undefined) return entries(database, afterLink, filter);
  const reached = await indexedUpTo(database.db);
  const found = await waitingEntries(database, Math.max(reached, afterLink), filter);
  let before = nearer({ link: reached + 1, position: 0 }, filter.before);
  while (found.length < filter.limit) {
    const places = await findPlaces(database.db, term, { afterLink, before, limit: filter.limit - found.length });
    const last = places.at(-1);
    if (last === undefined) break;
    found.push(...(await readPlaces(database, places, filter)));
    before = last;
  }
  return found;
}

/** A subject says more than its organization. */
function termOf({ organizationId, subject, handedOut }: AuditFilter): string | undefined {
  if (handedOut !== undefined) return `c:${handedOut}`;
  if (subject !== undefined) return `s:${subject}`;
  return organizationId === undefined ? undefined : `o:${organizationId}`;
}

function nearer(one: Place, other: Place = one): Place {
  return one.link < other.link || (one.link === other.link && one.position < other.position) ? one : other;
}

/** A row may name every entry of its link: so many rows are small enough for one look. */
const rowsPerLook = 64;

/** The next places of a term before a place, at most `limit`; none where there is no further one. */
async function findPlaces(
  db: Db,
  term: string,
  { afterLink, before, limit }: { readonly afterLink: number; readonly before: Place; readonly limit: number },
): Promise<Place[]> {
  const rows = await db
    .selectFrom('audit_index')
    .select(['link', 'positions'])
    .where('term', '=', term)
    .where('link', '>', afterLink)
    .where('link', '<=', before.link)
    .orderBy('link', 'desc')
    // Each row has a place, except that of the link of `before`, whose places may all stand behind it.
    .limit(Math.min(limit, rowsPerLook) + 1)
    .execute();
  return rows.flatMap((row) => placesOf(row, before)).slice(0, limit);
}

/** The places of one link that stand before a place, the last one first. */
function placesOf({ link, positions }: Omit<AuditIndexRow, 'term'>, before: Place): Place[] {
  return positions
    .split(',')
    .map((position) => ({ link, position: Number(position) }))
    .filter(({ position }) => link !== before.link || position < before.position)
    .sort((one, other) => other.position - one.position);
}

/** PostgreSQL would read all entries for one join of the index and the entries. Looked up one by one, it reads these alone. */
async function readPlaces(database: Database, places: readonly Place[], filter: AuditFilter): Promise<AuditEntryRow[]> {
  const given = database.rowSource(
    's',
    { link: 'bigint', position: 'bigint' },
    places.map(({ link, position }) => [link, position]),
  );
  const here = sql`e.link = s.link and e.position = s.position and ${conditions(database, filter)}`;
  const { rows } = await sql<AuditEntryRow>`
    select e.* from ${database.lookUp.join(given, 'audit_entry', 'e', here)}
    order by e.link desc, e.position desc`.execute(database.db);
  return rows;
}

/**
 * Finds entries that are not indexed yet. After an upgrade that makes the index anew these are millions: they are read in
 * portions, so that other readers have their turn and no statement reaches its time limit.
 */
async function waitingEntries(database: Database, afterLink: number, filter: AuditFilter): Promise<AuditEntryRow[]> {
  const found: AuditEntryRow[] = [];
  let { before } = filter;
  if (before !== undefined && before.link <= afterLink) return found;
  for (;;) {
    const rest = { ...filter, before, limit: filter.limit - found.length };
    const first = await firstOfPortion(database, afterLink, before);
    found.push(...(await entries(database, first === undefined ? afterLink : first - 1, rest)));
    if (first === undefined || found.length >= filter.limit) return found;
    before = { link: first, position: 0 };
  }
}

const entriesPerPortion = 20_000;

/** The link with which the newest portion of the entries before a place begins; undefined where they are less than a portion. */
async function firstOfPortion(
  database: Database,
  afterLink: number,
  before: Place | undefined,
): Promise<number | undefined> {
  const row = await database.db
    .selectFrom('audit_entry as e')
    .select('link')
    .where('link', '>', afterLink)
    .where(conditions(database, { before }))
    .orderBy('link', 'desc')
    .orderBy('position', 'desc')
    .offset(entriesPerPortion)
    .limit(1)
    .executeTakeFirst();
  return row?.link;
}

async function entries(database: Database, afterLink: number, filter: AuditFilter): Promise<AuditEntryRow[]> {
  return database.db
    .selectFrom('audit_entry as e')
    .selectAll()
    .where('link', '>', afterLink)
    .where(conditions(database, filter))
    .orderBy('link', 'desc')
    .orderBy('position', 'desc')
    .limit(filter.limit)
    .execute();
}

/** A cursor that somebody has made up may hold more than PostgreSQL's integers. */
const highestPosition = 2 ** 31 - 1;

/** Of entries as `e`. */
function conditions(
  database: Database,
  { organizationId, subject, handedOut, before }: Omit<AuditFilter, 'limit'>,
): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [];
  if (organizationId !== undefined) all.push(sql`organization_id = ${organizationId}`);
  if (subject !== undefined) all.push(sql`subject = ${subject}`);
  if (handedOut !== undefined) all.push(sql`${certificateOf(database)} = ${handedOut}`);
  // As one comparison of rows, which both databases answer from the index.
  if (before !== undefined) {
    all.push(sql`(e.link, e.position) < (${before.link}, ${Math.min(before.position, highestPosition)})`);
  }
  return all.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(all, sql` and `)}`;
}

/** Which certificate's private key an entry is the hand-out of; null for any other entry, whose detail is not looked at. */
function certificateOf({ jsonField }: Database): RawBuilder<string | null> {
  return sql`case when action = 'private-key.hand-out' then ${jsonField('detail', 'certificate')} end`;
}

async function indexedUpTo(db: Db): Promise<number> {
  const row = await db.selectFrom('audit_index_state').select('link').where('id', '=', 1).executeTakeFirstOrThrow();
  return row.link;
}

/** What the entries in a range are found by: term, link, position. The term of an entry without a certificate is null. */
function termsIn(database: Database, range: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select 's:' || subject as term, link, position from audit_entry where ${range}
    union all select 'o:' || organization_id, link, position from audit_entry where ${range}
    union all select 'c:' || ${certificateOf(database)}, link, position from audit_entry where ${range}`;
}

/** Makes the transaction that indexes up to a link. It is compiled once: a busy server indexes a hundred portions a second. */
export function indexingQueries(database: Database): (to: number) => readonly CompiledQuery[] {
  const toLink = 0;
  const reached = sql`(select link from audit_index_state where id = 1)`;
  const queries = [
    // The row is a lock: of two servers that index the same portion, the second finds it indexed.
    sql`update audit_index_state set link = link where id = 1 and link < ${toLink}`,
    sql`insert into audit_index (term, link, positions)
      select term, link, string_agg(cast(position as text), ',')
      from (${termsIn(database, sql`link > ${reached} and link <= ${toLink}`)}) as found
      where term is not null group by term, link order by term, link`,
    sql`update audit_index_state set link = ${toLink} where id = 1 and link < ${toLink}`,
  ].map((query) => query.compile(database.db));
  // The link is the only parameter there is.
  return (to) => queries.map((query) => ({ ...query, parameters: query.parameters.map(() => to) }));
}

/**
 * Indexes the next links, as many as are read at once, in portions. SQLite's writer is sent a portion in one message: asked
 * bit by bit, it held up hand-outs for longer than its own work takes.
 * @param goOn is asked between two portions, and may take its time
 * @returns whether more may be waiting
 */
export async function indexLinks(
  database: Database,
  queriesUpTo = indexingQueries(database),
  goOn: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const links = await nextLinks(database.db, await indexedUpTo(database.db));
  for (const to of portionEnds(links)) {
    await database.runBatch(queriesUpTo(to));
    if (!(await goOn())) return false;
  }
  return links.length === linksPerLook;
}

/**
 * Removes the entries up to a link from the index, in the transaction that removes them. What was not indexed yet never will
 * be: the state moves first, and waits for a portion that another server is indexing.
 */
export async function pruneIndex(database: Database, trx: Db, lastLink: number): Promise<void> {
  await trx
    .updateTable('audit_index_state')
    .set({ link: lastLink })
    .where('id', '=', 1)
    .where('link', '<', lastLink)
    .execute();
  for (const query of database.lookUp.first) await query.execute(trx);
  const terms = sql`select distinct term from (${termsIn(database, sql`link <= ${lastLink}`)}) as found`;
  await trx
    .deleteFrom('audit_index')
    .where(database.lookUp.oneOf('term', terms))
    .where('link', '<=', lastLink)
    .execute();
}

const everyMs = 2_000;
/**
 * Between portions, so that hand-outs have the writer for most of the time. Some 7,000 entries a second are indexed; after a
 * time with more of them the index catches up.
 */
const pauseMs = 25;

/** Keeps the index a few seconds behind the chain. */
export function createAuditIndexer(
  database: Database,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  const queriesUpTo = indexingQueries(database);
  return repeatingWorker('audit-index', everyMs, wait, async (signal) => {
    const goOn = async () => {
      await wait(pauseMs, signal);
      return !signal.aborted;
    };
    const indexAll = async () => {
      while (await indexLinks(database, queriesUpTo, goOn));
    };
    await unlessUnavailable(indexAll());
  });
}
