/**
 * Whom the entries of the audit trail concern. Entries are appended in their order, tens of thousands a second; an index
 * kept in the same transaction would touch a page of its own for every entry (measured: three times the writer's time
 * and five times the bytes). So it follows in sorted portions, in the database alone, and look-ups go through the few entries
 * that it has not reached yet.
 */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { AuditEntryRow, AuditIndexRow } from '../database/audit-tables.ts';
import type { Database, Db } from '../database/connect.ts';
import { isUnavailable } from '../database/connect.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { linksPerLook, nextLinks, portionEnds } from './audit-portion.ts';

export interface AuditFilter {
  readonly organizationId?: string;
  readonly subject?: string;
  /** Only the hand-outs of this certificate's private keys. */
  readonly handedOut?: string;
  /** Goes on with what stands before this entry. */
  readonly before?: Place | undefined;
  readonly limit: number;
}

const itemsPerQuery = 100;
const everyMs = 2_000;
/** Between portions, so that hand-outs do not wait for one after the other. It leaves room for 30,000 entries a second. */
const pauseMs = 5;

/** Newest first, of links after `afterLink`. */
export async function listEntries(
  database: Database,
  afterLink: number,
  filter: AuditFilter,
): Promise<AuditEntryRow[]> {
  const { db } = database;
  const term = termOf(filter);
  if (term === undefined) return entries(database, afterLink, filter).execute();
  const reached = await indexedUpTo(db);
  const recent = await entries(database, Math.max(reached, afterLink), filter).execute();
  if (recent.length === filter.limit) return recent;
  const wanted = filter.limit - recent.length;
  const rows = await db
    .selectFrom('audit_index')
    .select(['link', 'positions'])
    .where('term', '=', term)
    .where('link', '>', afterLink)
    // The nearer of two ends: of several SQLite seeks by one, and would pass over all that stands behind the other.
    .where('link', '<=', Math.min(reached, filter.before?.link ?? reached))
    .orderBy('link', 'desc')
    // Each has an entry that is wanted, but for the link of `before`, all of which may stand behind it.
    .limit(wanted + 1)
    .execute();
  const places = rows.flatMap((row) => placesOf(row, filter.before)).slice(0, wanted);
  return [...recent, ...(await readPlaces(database, places, filter))];
}

/** Those of one link that stand before a place, the last one first. */
function placesOf({ link, positions }: Omit<AuditIndexRow, 'term'>, before: Place | undefined): Place[] {
  return positions
    .split(',')
    .map((position) => ({ link, position: Number(position) }))
    .filter(({ position }) => link !== before?.link || position < before.position)
    .sort((left, right) => right.position - left.position);
}

/** Where an entry stands in the chain. */
export interface Place {
  readonly link: number;
  readonly position: number;
}

/** In two questions, not in one join of three tables: PostgreSQL would rather read all entries than look some up. */
async function readPlaces(
  database: Database,
  places: readonly Place[],
  { organizationId }: AuditFilter,
): Promise<AuditEntryRow[]> {
  if (places.length === 0) return [];
  const given = database.rowSource(
    's',
    { link: 'bigint', position: 'bigint' },
    places.map(({ link, position }) => [link, position]),
  );
  const here = sql`e.link = s.link and e.position = s.position`;
  const { rows } = await sql<AuditEntryRow>`
    select e.* from ${database.lookUp.join(given, 'audit_entry', 'e', here)}`.execute(database.db);
  return rows
    .filter((row) => organizationId === undefined || row.organization_id === organizationId)
    .sort((left, right) => right.link - left.link || right.position - left.position);
}

function portions<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / itemsPerQuery);
  return Array.from({ length: count }, (_, index) => items.slice(index * itemsPerQuery, (index + 1) * itemsPerQuery));
}

/** A subject says more than its organization. */
function termOf({ organizationId, subject, handedOut }: AuditFilter): string | undefined {
  if (handedOut !== undefined) return `c:${handedOut}`;
  if (subject !== undefined) return `s:${subject}`;
  return organizationId === undefined ? undefined : `o:${organizationId}`;
}

function entries(database: Database, afterLink: number, filter: AuditFilter) {
  return filtered(database, filter)
    .where('link', '>', afterLink)
    .orderBy('link', 'desc')
    .orderBy('position', 'desc')
    .limit(filter.limit);
}

function filtered(database: Database, { organizationId, subject, handedOut, before }: AuditFilter) {
  let query = database.db.selectFrom('audit_entry').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (handedOut !== undefined) query = query.where(certificateOf(database), '=', handedOut);
  if (before !== undefined) query = query.where(standsBefore(before));
  return query;
}

/** Which certificate's private key an entry is the hand-out of; null for any other entry, whose detail is not looked at. */
function certificateOf({ jsonField }: Database): RawBuilder<string | null> {
  return sql`case when action = 'private-key.hand-out' then ${jsonField('detail', 'certificate')} end`;
}

/** As one comparison of rows, which both databases answer from the index. */
function standsBefore(place: Place = { link: 0, position: 0 }) {
  return sql<boolean>`(link, position) < (${place.link}, ${place.position})`;
}

async function indexedUpTo(db: Db): Promise<number> {
  const row = await db.selectFrom('audit_index_state').select('link').where('id', '=', 1).executeTakeFirstOrThrow();
  return row.link;
}

/** What one portion takes, compiled once: on a busy server there are a hundred portions a second. */
interface PortionQueries {
  /** All that is to be done in one transaction. The first of them changes a row, or the portion was not the next one. */
  between(from: number, to: number): readonly CompiledQuery[];
}

/**
 * A term is written once for each link: with 64 clients of one deployment these are 3 rows of 23 entries, and 2.2 µs of
 * SQLite's writer for an entry instead of 4 to 6 µs. Each kind of term is a look of its own at the few entries: crossed with
 * a list of the kinds, the rows took longer to put in order than to read.
 */
function portionQueries(database: Database): PortionQueries {
  const { db } = database;
  const positions = sql`string_agg(cast(position as text), ',') as positions`;
  const range = sql`link > ${0} and link <= ${0} and exists (select 1 from audit_index_state where id = 1 and link = ${0})`;
  // The row is the lock: of two servers that index the same portion, the second finds it moved, and does nothing.
  const lock = sql`update audit_index_state set link = link where id = 1 and link = ${0}`.compile(db);
  const insert = sql`
    insert into audit_index (term, link, positions)
    select term, link, positions from (
      select 's:' || subject as term, link, ${positions} from audit_entry where ${range} group by link, subject
      union all
      select 'o:' || organization_id, link, ${positions} from audit_entry where ${range} group by link, organization_id
      union all
      select 'c:' || certificate, link, ${positions} from (
        select ${certificateOf(database)} as certificate, link, position from audit_entry where ${range}
      ) as handed_out group by link, certificate
    ) as terms
    where term is not null
    order by term, link`.compile(db);
  const move = sql`update audit_index_state set link = ${0} where id = 1 and link = ${0}`.compile(db);
  return {
    between(from, to) {
      const inRange = [from, to, from];
      return [
        { ...lock, parameters: [from] },
        { ...insert, parameters: [...inRange, ...inRange, ...inRange] },
        { ...move, parameters: [to, from] },
      ];
    },
  };
}

/**
 * Indexes the next links, as many as are read at once, in portions. What to do is read beforehand, so that the writer has
 * a portion in one message: asked and answered bit by bit, it held up the hand-outs for longer than its own work takes.
 * @param goOn is asked between two portions, and may take its time
 * @returns whether more may be waiting
 */
export async function indexLinks(
  database: Database,
  queries: PortionQueries = portionQueries(database),
  goOn: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  let from = await indexedUpTo(database.db);
  const links = await nextLinks(database.db, from);
  for (const to of portionEnds(links)) {
    const [locked] = await database.runBatch(queries.between(from, to));
    from = to;
    const isGoingOn = await goOn();
    // Where another server has been here, it is asked anew how far.
    if (!isGoingOn || locked?.numAffectedRows !== 1n) return true;
  }
  return links.length === linksPerLook;
}

/** Forgets the entries up to `lastLink`, which are about to be removed themselves. */
export async function pruneIndex(database: Database, trx: Db, lastLink: number): Promise<void> {
  const { rows } = await sql<{ term: string | null }>`
    select 's:' || subject as term from audit_entry where link <= ${lastLink}
    union select 'o:' || organization_id from audit_entry where link <= ${lastLink}
    union select 'c:' || ${certificateOf(database)} from audit_entry where link <= ${lastLink}`.execute(trx);
  for (const some of portions(rows.flatMap(({ term }) => term ?? []))) {
    await trx.deleteFrom('audit_index').where('term', 'in', some).where('link', '<=', lastLink).execute();
  }
}

/** Keeps the index a few seconds behind the chain. */
export function createAuditIndexer(
  database: Database,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  return {
    name: 'audit-index',
    async run(signal) {
      const queries = portionQueries(database);
      const goOn = async () => {
        await wait(pauseMs, signal);
        return !signal.aborted;
      };
      while (!signal.aborted) {
        try {
          while (!signal.aborted && (await indexLinks(database, queries, goOn)));
        } catch (error) {
          if (!isUnavailable(error)) throw error;
        }
        await wait(everyMs, signal);
      }
    },
  };
}
