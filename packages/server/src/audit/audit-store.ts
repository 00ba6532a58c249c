import { type CompiledQuery, type QueryResult, sql } from 'kysely';
import { type Database, type Db, isNotNullViolation } from '../database/database.ts';
import type { AuditEntryRow, AuditLinkRow, AuditSegmentRow } from '../database/schema/audit-tables.ts';
import type { AuditEvent, AuditLink, AuditSegment } from './audit-chain.ts';
import { pruneIndex } from './audit-index.ts';
import { nextLinks, portionEnds } from './audit-portion.ts';

export interface AuditHead {
  readonly link: number;
  readonly mac: string;
  readonly day: string;
}

/**
 * Moves the head on by one link and returns what it was before (`formerHead` reads the result). The head's row stays
 * locked until the transaction ends, which puts the links of all nodes into one order; so this comes last in a
 * transaction.
 */
export function advanceHead(db: Db): CompiledQuery {
  return db
    .updateTable('audit_head')
    .set({ link: sql<number>`link + 1` })
    .where('id', '=', 1)
    .returning(['link', 'mac', 'day'])
    .compile();
}

/** @throws Error when the head's row is gone. */
export function formerHead(advanced: QueryResult<unknown> | undefined): AuditHead {
  const row = advanced?.rows[0] as AuditHead | undefined;
  if (row === undefined) throw new Error('the audit trail has lost its head');
  return { ...row, link: row.link - 1 };
}

/** The head and the last closed day (empty when there is none), as of one moment; undefined when the head is gone. */
export async function readHead(db: Db): Promise<(AuditHead & { closedDay: string }) | undefined> {
  const row = await db
    .selectFrom('audit_head')
    .select(['link', 'mac', 'day'])
    .select((select) =>
      select
        .selectFrom('audit_segment')
        .select((inner) => inner.fn.max('day').as('closed_day'))
        .as('closed_day'),
    )
    .where('id', '=', 1)
    .executeTakeFirst();
  return row && { link: row.link, mac: row.mac, day: row.day, closedDay: row.closed_day ?? '' };
}

/** Keeps other transactions from appending until this one ends; returns the day the chain has reached. */
export async function lockHead(trx: Db): Promise<string> {
  const row = await trx
    .updateTable('audit_head')
    .set({ link: sql<number>`link` })
    .where('id', '=', 1)
    .returning('day')
    .executeTakeFirstOrThrow();
  return row.day;
}

export async function setHeadDay(trx: Db, day: string): Promise<void> {
  await trx.updateTable('audit_head').set({ day }).where('id', '=', 1).execute();
}

/** What stands where in the text of an event (`eventText`). */
const eventColumns = {
  organization_id: 'text',
  actor: 'text',
  action: 'text',
  subject: 'text',
  at: 'bigint',
  detail: 'text',
} as const;

/**
 * The queries that append one link, compiled once: they are part of every hand-out's way. Events are given as the texts over
 * which the link's code was made: the database takes them apart, and no row of theirs is made on the main thread.
 */
export interface LinkQueries {
  /** What follows `advanceHead` in its transaction. */
  afterAdvance(link: AuditLink, mac: string, events: readonly string[]): readonly CompiledQuery[];
  /** A whole transaction, for a head that is known beforehand; fails as `isMovedHead` tells when it was another. */
  onto(former: AuditHead, link: AuditLink, mac: string, events: readonly string[]): readonly CompiledQuery[];
}

export function linkQueries(database: Database): LinkQueries {
  const { db } = database;
  const columns = sql.join(Object.keys(eventColumns).map((column) => sql.ref(column)));
  const insertEntries = sql`insert into audit_entry (link, position, ${columns})
    select ${0}, ordinal, ${columns} from ${database.rowSource('given', eventColumns, '')}`.compile(db);
  const insert = db.insertInto('audit_link').values({ link: 0, day: '', at: 0, entries: 0, mac: '' }).compile();
  const setHead = db.updateTable('audit_head').set({ mac: '', day: '' }).where('id', '=', 1).compile();
  // Where the head has moved, its link becomes null, which the column refuses: the transaction fails as a whole.
  const moveHead = sql`update audit_head
    set link = case when link = ${0} and mac = ${''} and day = ${''} then link + 1 end, mac = ${''}, day = ${''}
    where id = 1`.compile(db);

  function inserts(link: AuditLink, mac: string, events: readonly string[]): readonly CompiledQuery[] {
    return [
      { ...insertEntries, parameters: [link.link, `[${events.join(',')}]`] },
      { ...insert, parameters: [link.link, link.day, link.at, events.length, mac] },
    ];
  }

  return {
    afterAdvance: (link, mac, events) => [
      ...inserts(link, mac, events),
      { ...setHead, parameters: [mac, link.day, 1] },
    ],
    onto: (former, link, mac, events) => [
      { ...moveHead, parameters: [former.link, former.mac, former.day, mac, link.day] },
      ...inserts(link, mac, events),
    ],
  };
}

export function isMovedHead(error: unknown): boolean {
  return isNotNullViolation(error);
}

/** When a link was chained, epoch milliseconds; undefined when there is none (any more). */
export async function readLinkAt(db: Db, link: number): Promise<number | undefined> {
  const row = await db.selectFrom('audit_link').select('at').where('link', '=', link).executeTakeFirst();
  return row?.at;
}

/** So many links are looked through in less than a second. */
const lateLinks = 100_000;

/** The latest moment at which any of the newest links was chained: not that of the last one where a clock was set back. */
export async function readLatestAt(database: Database): Promise<number | undefined> {
  const newest = database.db.selectFrom('audit_link').select('at').orderBy('link', 'desc').limit(lateLinks);
  const query = database.db.selectFrom(newest.as('newest')).select((select) => select.fn.max('at').as('at'));
  const { rows } = await database.readAside(query.compile());
  return rows[0]?.at ?? undefined;
}

export async function listLinks(db: Db, afterLink: number, limit: number): Promise<AuditLinkRow[]> {
  return db.selectFrom('audit_link').selectAll().where('link', '>', afterLink).orderBy('link').limit(limit).execute();
}

/** Entries of a range of links in the order they were chained. */
export async function listLinkEntries(db: Db, firstLink: number, lastLink: number): Promise<AuditEntryRow[]> {
  return db
    .selectFrom('audit_entry')
    .selectAll()
    .where('link', '>=', firstLink)
    .where('link', '<=', lastLink)
    .orderBy('link')
    .orderBy('position')
    .execute();
}

export async function listSegments(db: Db): Promise<AuditSegmentRow[]> {
  return db.selectFrom('audit_segment').selectAll().orderBy('first_link').execute();
}

export type DaySummary = Omit<AuditSegment, 'closedAt' | 'prunedAt'>;

/** The oldest day before `today` that has links and is not closed yet. */
export async function summarizeOldestOpenDay(db: Db, today: string): Promise<DaySummary | undefined> {
  const reached = await db
    .selectFrom('audit_segment')
    .select((select) => select.fn.max('last_link').as('link'))
    .executeTakeFirst();
  const lastClosed = reached?.link ?? 0;
  const oldest = await db
    .selectFrom('audit_link')
    .select(['day', 'link'])
    .where('link', '>', lastClosed)
    .orderBy('link')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined || oldest.day >= today) return undefined;
  const sums = await db
    .selectFrom('audit_link')
    .select((select) => [select.fn.max('link').as('last'), select.fn.sum('entries').as('entries')])
    .where('day', '=', oldest.day)
    .where('link', '>', lastClosed)
    .executeTakeFirstOrThrow();
  const last = await linkMacAt(db, Number(sums.last));
  const former = oldest.link === 1 ? '' : await linkMacAt(db, oldest.link - 1);
  return {
    day: oldest.day,
    firstLink: oldest.link,
    lastLink: Number(sums.last),
    entries: Number(sums.entries),
    formerMac: former,
    mac: last,
  };
}

async function linkMacAt(db: Db, link: number): Promise<string> {
  const row = await db.selectFrom('audit_link').select('mac').where('link', '=', link).executeTakeFirst();
  if (row !== undefined) return row.mac;
  const segment = await db.selectFrom('audit_segment').select('mac').where('last_link', '=', link).executeTakeFirst();
  return segment?.mac ?? '';
}

export async function insertSegment(trx: Db, segment: AuditSegment, seal: string): Promise<void> {
  await trx
    .insertInto('audit_segment')
    .values({
      day: segment.day,
      first_link: segment.firstLink,
      last_link: segment.lastLink,
      entries: segment.entries,
      former_mac: segment.formerMac,
      mac: segment.mac,
      seal,
      closed_at: segment.closedAt,
      pruned_at: segment.prunedAt,
    })
    .execute();
}

/** The last link that retention has removed, or is removing. */
export async function prunedUpTo(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit_segment')
    .select((select) => select.fn.max('last_link').as('link'))
    .where('pruned_at', 'is not', null)
    .executeTakeFirst();
  return row?.link ?? 0;
}

/** Deletes a portion of the links up to `lastLink` with their entries; returns whether more are left. */
export async function pruneLinks(database: Database, trx: Db, lastLink: number): Promise<boolean> {
  const [last] = portionEnds(await nextLinks(trx, 0, lastLink));
  if (last === undefined) return false;
  await pruneIndex(database, trx, last);
  await trx.deleteFrom('audit_entry').where('link', '<=', last).execute();
  await trx.deleteFrom('audit_link').where('link', '<=', last).execute();
  return last < lastLink;
}

/**
 * A link for which there are rows although the chain has never reached it, if any. One statement, so that what is
 * appended at the same time is seen together with the head that it moved. The ends of both indexes, and no search for
 * links beyond the head: PostgreSQL expects to find such a row soon, and would read the whole table in vain.
 */
export async function findStray(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ link: number }>`
    select ends.link from audit_head join (
      select min(link) as link from audit_entry union all select max(link) from audit_entry
      union all select min(link) from audit_link union all select max(link) from audit_link
    ) as ends on ends.link < 1 or ends.link > audit_head.link
    limit 1`.execute(db);
  return rows[0]?.link;
}

export async function linkMacs(db: Db, links: readonly number[]): Promise<Map<number, string>> {
  if (links.length === 0) return new Map();
  const rows = await db.selectFrom('audit_link').select(['link', 'mac']).where('link', 'in', links).execute();
  return new Map(rows.map((row) => [row.link, row.mac]));
}

export async function markPruned(trx: Db, day: string, seal: string, now: number): Promise<void> {
  await trx
    .updateTable('audit_segment')
    .set({ pruned_at: now, seal })
    .where('day', '=', day)
    .where('pruned_at', 'is', null)
    .execute();
}

export function toEvent(row: AuditEntryRow): AuditEvent {
  const { organization_id, actor, action, subject, at, detail } = row;
  return { organizationId: organization_id, actor, action, subject, at, detail };
}

export function toSegment(row: AuditSegmentRow): AuditSegment {
  return {
    day: row.day,
    firstLink: row.first_link,
    lastLink: row.last_link,
    entries: row.entries,
    formerMac: row.former_mac,
    mac: row.mac,
    closedAt: row.closed_at,
    prunedAt: row.pruned_at,
  };
}
