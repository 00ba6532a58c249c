/**
 * Whom the entries of the audit trail concern. Entries are appended in their order, tens of thousands a second; an index
 * kept in the same transaction would touch a page of its own for every entry (measured: three times the writer's time
 * and five times the bytes), and so did one whose rows lay in the order of their terms, however late it followed (9 µs
 * of the writer's 23 for a hand-out, with 100,000 deployments). So it follows in sorted runs that are written once and put
 * together in the background (audit-indexer.ts), and look-ups go from the newest run to the oldest, after the few
 * entries that are in none yet.
 */
import { type RawBuilder, sql } from 'kysely';
import type { AuditEntryRow } from '../database/audit-tables.ts';
import type { Database } from '../database/connect.ts';
import { certificateOf, findPages, readIndexState, runsPerLook } from './audit-index-store.ts';
import { lastPosition, type Place, placesBefore } from './index-records.ts';
import { hashOf } from './index-terms.ts';
import type { TermHash, TermKind } from './term-hash.ts';

export type { Place } from './index-records.ts';

export interface AuditFilter {
  readonly organizationId?: string;
  readonly subject?: string;
  /** Only the hand-outs of this certificate's private keys. */
  readonly handedOut?: string;
  /** Goes on with what stands before this entry. */
  readonly before?: Place | undefined;
  readonly limit: number;
}

/**
 * Newest first, of links after `afterLink`.
 * @param hash that the index was made with
 */
export async function listEntries(
  database: Database,
  afterLink: number,
  filter: AuditFilter,
  hash?: TermHash,
): Promise<AuditEntryRow[]> {
  const term = termOf(filter);
  if (term === undefined) return entries(database, afterLink, filter);
  const { link: reached } = await readIndexState(database.db);
  const found = await waitingEntries(database, Math.max(reached, afterLink), filter);
  if (found.length >= filter.limit) return found;
  const end = nearer({ link: reached + 1, position: 0 }, filter.before);
  let read = { links: 0, entries: 0 };
  for await (const places of findPlaces(database, hashOf(...term, hash), end, afterLink)) {
    for (let at = 0; at < places.length && found.length < filter.limit; ) {
      const rest = { ...filter, limit: filter.limit - found.length };
      const some = places.slice(at, at + linksWanted(rest.limit, read));
      at += some.length;
      const here = await readPlaces(database, some, rest);
      read = { links: read.links + some.length, entries: read.entries + here.length };
      found.push(...here);
    }
    if (found.length >= filter.limit) break;
  }
  return found.slice(0, filter.limit);
}

/**
 * A few, and by what these have held, as many as the rest will take: a link may hold one entry of a term, or a thousand. Not
 * all at once: those of a quiet hour say nothing of the busy one before it.
 */
function linksWanted(entries: number, read: { readonly links: number; readonly entries: number }): number {
  if (read.links === 0) return firstLinks;
  return Math.min(Math.ceil((entries * read.links) / Math.max(read.entries, 1)), mostLinks);
}

const firstLinks = 8;
const mostLinks = 64;

/** A subject says more than its organization. */
function termOf({ organizationId, subject, handedOut }: AuditFilter): [TermKind, string] | undefined {
  if (handedOut !== undefined) return ['c', handedOut];
  if (subject !== undefined) return ['s', subject];
  return organizationId === undefined ? undefined : ['o', organizationId];
}

function nearer(one: Place, other: Place = one): Place {
  return one.link < other.link || (one.link === other.link && one.position < other.position) ? one : other;
}

/** From where on the links hold entries whose term has the hash, the newest first, as many as a look finds at once. */
async function* findPlaces({ db }: Database, hash: number, end: Place, afterLink: number): AsyncGenerator<Place[]> {
  // A record of the last position may mean a later one.
  let before = { ...end, position: Math.min(end.position, lastPosition + 1) };
  for (;;) {
    const runs = await findPages(db, hash, before, afterLink);
    const found: Place[] = [];
    let goesOn = false;
    for (const { first_link, records } of runs) {
      const inPage = records === null ? undefined : placesBefore(records, { hash, ...before });
      found.push(...(inPage?.places ?? []));
      goesOn = inPage?.goesOn === true && inPage.places.length > 0;
      // The next page of this run comes first, then older runs.
      before = goesOn ? (found.at(-1) as Place) : { link: first_link, position: 0 };
      if (goesOn) break;
    }
    const places = found.filter(({ link }) => link > afterLink);
    if (places.length > 0) yield places;
    if (places.length < found.length || (!goesOn && runs.length < runsPerLook)) return;
  }
}

/**
 * In two questions, not in one join of three tables: PostgreSQL would rather read all entries than look some up.
 * @returns none of a place where another's term has the same hash
 */
async function readPlaces(database: Database, places: readonly Place[], filter: AuditFilter): Promise<AuditEntryRow[]> {
  const given = database.rowSource(
    's',
    { link: 'bigint', position: 'bigint' },
    places.map(({ link, position }) => [link, position]),
  );
  const here = sql`e.link = s.link and e.position >= s.position and ${conditions(database, filter)}`;
  const { rows } = await sql<AuditEntryRow>`
    select e.* from ${database.lookUp.join(given, 'audit_entry', 'e', here)}
    order by e.link desc, e.position desc limit ${filter.limit}`.execute(database.db);
  return rows;
}

/**
 * Those that are in no run yet. They are millions while an index is made anew: other readers have their turn between two portions,
 * and none takes longer than a statement may.
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

/** The link with which a portion of the entries before a place begins, the newest one; undefined where all are less than one. */
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
