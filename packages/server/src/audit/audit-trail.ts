import type { Database, Db } from '../database/connect.ts';
import type { AuditSegmentRow } from '../database/tables.ts';
import {
  type AuditEvent,
  type AuditSegment,
  genesisMac,
  linkDay,
  linkMac,
  sameMac,
  segmentSeal,
} from './audit-chain.ts';
import {
  type AuditFilter,
  advanceHead,
  findEntryAfter,
  insertLink,
  insertSegment,
  linkMacs,
  listEntries,
  listLinkEntries,
  listLinks,
  listSegments,
  markPruned,
  prunedUpTo,
  pruneLinks,
  readHead,
  summarizeOldestOpenDay,
} from './audit-store.ts';

export type { AuditEvent } from './audit-chain.ts';

/**
 * The audit trail: who changed what, and every hand-out of a private key. Events are chained by HMAC, one link per
 * transaction, so that a changed, removed, inserted or cut-off row shows.
 */
export interface AuditTrail {
  /**
   * Appends the events as one link inside the caller's transaction. Call it last: it holds the chain's head until the
   * transaction ends.
   */
  record(trx: Db, events: readonly AuditEvent[]): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<(AuditEvent & { link: number })[]>;
  /** Recomputes the whole chain. `expected` is a head noted elsewhere (the log): the chain must still pass through it. */
  verify(expected?: { link: number; mac: string }): Promise<AuditVerdict>;
  /** Closes the days before `now`'s and returns them; their heads belong in the log. */
  closeDays(now: number): Promise<AuditSegment[]>;
  /** Removes entries of closed days that ended before `before`; their sealed summaries stay. */
  prune(before: number, now: number): Promise<number>;
}

export interface AuditVerdict {
  readonly faults: readonly { readonly link: number; readonly reason: string }[];
  /** Up to where the chain was checked: compare it with a head noted elsewhere to notice a database set back. */
  readonly head: { readonly link: number; readonly mac: string };
  readonly links: number;
  readonly entries: number;
  /** Days whose entries retention has removed. */
  readonly prunedDays: number;
}

const dayMs = 86_400_000;
const linksPerRead = 500;
const faultsShown = 100;

/** @param key 32 bytes that whoever can write the database does not have. */
export function createAuditTrail(database: Database, key: Uint8Array): AuditTrail {
  return {
    async record(trx, events) {
      if (events.length === 0) return;
      const former = await advanceHead(trx);
      const at = events.at(-1)?.at ?? 0;
      const link = { link: former.link + 1, day: linkDay(at, former.day), at };
      await insertLink(database, trx, link, linkMac(key, former.mac, link, events), events);
    },

    async list(filter) {
      const rows = await listEntries(database.db, await prunedUpTo(database.db), filter);
      return rows.map((row) => ({ ...eventOf(row), link: row.link }));
    },

    verify: (expected) => verifyChain(database, key, expected),

    async closeDays(now) {
      const closed: AuditSegment[] = [];
      const today = new Date(now).toISOString().slice(0, 10);
      for (;;) {
        const segment = await database.transaction(async (trx) => {
          const open = await summarizeOldestOpenDay(trx, today);
          if (open !== undefined) await insertSegment(trx, open, segmentSeal(key, open), now);
          return open;
        });
        if (segment === undefined) return closed;
        closed.push(segment);
      }
    },

    async prune(before, now) {
      const due = (await listSegments(database.db)).filter(
        (segment) => segment.pruned_at === null && Date.parse(segment.day) + dayMs <= before,
      );
      // Marked first: a process killed between two chunks leaves a chain that starts later, not one with a hole.
      for (const segment of due) await markPruned(database.db, segment.day, now);
      const reached = await prunedUpTo(database.db);
      // In chunks, so that no transaction holds the writer for long.
      while (await database.transaction((trx) => pruneLinks(trx, reached, linksPerRead)));
      return due.length;
    },
  };
}

function eventOf(row: {
  organization_id: string;
  actor: string;
  action: string;
  subject: string;
  at: number;
  detail: string;
}): AuditEvent {
  const { organization_id, actor, action, subject, at, detail } = row;
  return { organizationId: organization_id, actor, action, subject, at, detail };
}

async function verifyChain(
  database: Database,
  key: Uint8Array,
  expected: { link: number; mac: string } | undefined,
): Promise<AuditVerdict> {
  const faults: { link: number; reason: string }[] = [];
  const blame = (link: number, reason: string) => {
    if (faults.length < faultsShown) faults.push({ link, reason });
  };
  // The head is read first: what is appended while this runs is left to the next verification.
  const head = await readHead(database.db);
  const segments = await listSegments(database.db);
  const start = checkSegments(segments, key, blame);
  let { link, mac } = start;
  let entries = 0;
  let links = 0;
  let seen = expected === undefined || (expected.link === link && sameMac(expected.mac, mac));
  while (link < head.link) {
    const rows = (await listLinks(database.db, link, linksPerRead)).filter((row) => row.link <= head.link);
    const last = rows.at(-1)?.link;
    if (last === undefined) break;
    const events = groupByLink(await listLinkEntries(database.db, link + 1, last));
    for (const row of rows) {
      if (row.link !== link + 1) blame(link + 1, `links ${link + 1} to ${row.link - 1} are missing`);
      const own = events.get(row.link) ?? [];
      if (own.length !== row.entries) blame(row.link, `has ${own.length} entries instead of ${row.entries}`);
      const wanted = linkMac(key, mac, { link: row.link, day: row.day, at: row.at }, own);
      if (!sameMac(wanted, row.mac)) blame(row.link, 'an entry, its order or the link before it was changed');
      if (expected?.link === row.link) seen = sameMac(expected.mac, row.mac);
      events.delete(row.link);
      link = row.link;
      // The stored code, so that one changed row is named once and not with every link that follows.
      mac = row.mac;
      links += 1;
      entries += own.length;
    }
    for (const stray of events.keys()) blame(stray, 'entries stand where the chain has no link');
  }
  if (link !== head.link)
    blame(head.link, `the chain ends at link ${link}, but its head is ${head.link}: it was cut off`);
  else if (!sameMac(head.mac, mac)) blame(head.link, 'the head does not fit the last link');
  if (!seen && expected !== undefined) blame(expected.link, 'the chain does not pass through the expected head');
  await blameStrayEntries(database, head.link, blame);
  checkSegmentEnds(segments, await linkMacs(database.db, openEnds(segments)), blame);
  return {
    faults,
    head: { link, mac },
    links,
    entries,
    prunedDays: segments.filter((row) => row.pruned_at !== null).length,
  };
}

/** Checks the sealed days and finds where the retained chain starts. */
function checkSegments(
  segments: readonly AuditSegmentRow[],
  key: Uint8Array,
  blame: (link: number, reason: string) => void,
): { link: number; mac: string } {
  let start = { link: 0, mac: genesisMac };
  let former: AuditSegmentRow | undefined;
  for (const row of segments) {
    const segment = segmentOf(row);
    if (!sameMac(segmentSeal(key, segment), row.seal)) blame(row.last_link, `the summary of ${row.day} was changed`);
    const expectedFirst = (former?.last_link ?? 0) + 1;
    if (row.first_link !== expectedFirst) blame(expectedFirst, `the summary before ${row.day} is missing`);
    if (!sameMac(row.former_mac, former?.mac ?? genesisMac))
      blame(row.first_link, `${row.day} does not follow the day before`);
    if (row.pruned_at !== null) start = { link: row.last_link, mac: row.mac };
    former = row;
  }
  return start;
}

function segmentOf(row: AuditSegmentRow): AuditSegment {
  return {
    day: row.day,
    firstLink: row.first_link,
    lastLink: row.last_link,
    entries: row.entries,
    formerMac: row.former_mac,
    mac: row.mac,
  };
}

function openEnds(segments: readonly AuditSegmentRow[]): number[] {
  return segments.filter((row) => row.pruned_at === null).map((row) => row.last_link);
}

function checkSegmentEnds(
  segments: readonly AuditSegmentRow[],
  macs: ReadonlyMap<number, string>,
  blame: (link: number, reason: string) => void,
): void {
  for (const row of segments) {
    if (row.pruned_at === null && macs.get(row.last_link) !== row.mac) {
      blame(row.last_link, `the links of ${row.day} do not end in its summary`);
    }
  }
}

async function blameStrayEntries(
  database: Database,
  headLink: number,
  blame: (link: number, reason: string) => void,
): Promise<void> {
  const now = await readHead(database.db);
  const stray = await findEntryAfter(database.db, Math.max(now.link, headLink));
  if (stray !== undefined) blame(stray, 'entries stand where the chain has no link');
}

function groupByLink<Row extends { link: number } & Parameters<typeof eventOf>[0]>(
  rows: readonly Row[],
): Map<number, AuditEvent[]> {
  const groups = new Map<number, AuditEvent[]>();
  for (const row of rows) {
    const group = groups.get(row.link);
    if (group === undefined) groups.set(row.link, [eventOf(row)]);
    else group.push(eventOf(row));
  }
  return groups;
}
