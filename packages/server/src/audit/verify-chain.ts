import type { AuditFaultCode, AuditFaultParameters } from '@waxwing/contract/management-api/audit-faults.ts';
import type { Database } from '../database/database.ts';
import type { AuditEntryRow, AuditLinkRow, AuditSegmentRow } from '../database/schema/audit-tables.ts';
import {
  type AuditSegment,
  dayAfter,
  eventText,
  genesisMac,
  laterDay,
  linkMac,
  sameMac,
  segmentSeal,
} from './audit-chain.ts';
import {
  findStray,
  linkMacs,
  listLinkEntries,
  listLinks,
  listSegments,
  prunedUpTo,
  readHead,
  toEvent,
  toSegment,
} from './audit-store.ts';

/** What is wrong at a link. */
export interface AuditFault {
  readonly link: number;
  readonly code: AuditFaultCode;
  /** What follows `link 7: `, in English. */
  readonly reason: string;
  /** What occurs in the reason, so that it can be said in another language. */
  readonly parameters: Readonly<Record<string, string | number>>;
}

export interface AuditVerdict {
  /** Empty when everything is in order; at most a hundred are named. */
  readonly faults: readonly AuditFault[];
  /** Up to where the chain was checked: compare it with a head noted elsewhere to notice a database set back. */
  readonly head: { readonly link: number; readonly mac: string };
  readonly links: number;
  readonly entries: number;
  /** Days whose entries retention has removed. */
  readonly prunedDays: number;
}

type Blame = <Code extends AuditFaultCode>(
  link: number,
  code: Code,
  parameters: AuditFaultParameters<Code>,
  reason: string,
) => void;

interface Place {
  readonly link: number;
  readonly mac: string;
  readonly day: string;
}

const linksPerRead = 500;
/** A link holds up to a thousand entries: pages are bounded by entries, whatever their links hold. */
const entriesPerRead = 5_000;
const faultsShown = 100;
const attempts = 3;

/** Told after each part of the chain: how many links were checked, of how many. */
export type OnLinksChecked = (links: number, ofLinks: number) => void;

/**
 * Recomputes the whole chain, while others go on appending to it.
 * @param expected a head noted elsewhere, which the chain must still pass through
 */
export async function verifyChain(
  database: Database,
  key: Uint8Array,
  expected: { link: number; mac: string } | undefined,
  onChecked: OnLinksChecked = () => {},
): Promise<AuditVerdict> {
  for (let attempt = 1; ; attempt += 1) {
    const prunedBefore = await prunedUpTo(database.db);
    const verdict = await verifyOnce(database, key, expected, onChecked);
    if (verdict.faults.length === 0 || attempt === attempts) return verdict;
    // Retention may have removed a day while it was read: the missing links are no fault, and the chain is checked again.
    if ((await prunedUpTo(database.db)) === prunedBefore) return verdict;
  }
}

async function verifyOnce(
  database: Database,
  key: Uint8Array,
  expected: { link: number; mac: string } | undefined,
  onChecked: OnLinksChecked,
): Promise<AuditVerdict> {
  const faults: AuditFault[] = [];
  const blame: Blame = (link, code, parameters, reason) => {
    if (faults.length < faultsShown) faults.push({ link, code, reason, parameters });
  };
  // The head is read first: what is appended while this runs is left to the next verification.
  const head = await readHead(database.db);
  const segments = await listSegments(database.db);
  const start = checkSegments(segments, key, blame);
  const last = head?.link ?? 0;
  const told = (link: number) => onChecked(link - start.link, last - start.link);
  const walked = await checkLinks({ database, key, start, last, expected, blame, told });
  if (head === undefined) blame(walked.end.link, 'head_removed', {}, 'the head of the chain was removed');
  else checkHead(head, walked.end, blame);
  if (expected !== undefined && !walked.passedExpected) blameExpected(expected, start, segments, blame);
  const stray = await findStray(database.db);
  if (stray !== undefined) blame(stray, 'rows_without_link', {}, 'rows stand where the chain has no link');
  checkSegmentEnds(segments, await linkMacs(database.db, openEnds(segments)), blame);
  return {
    faults,
    head: { link: walked.end.link, mac: walked.end.mac },
    links: walked.links,
    entries: walked.entries,
    prunedDays: segments.filter((row) => row.pruned_at !== null).length,
  };
}

/** Checks the sealed days and finds where the retained chain starts. */
function checkSegments(segments: readonly AuditSegmentRow[], key: Uint8Array, blame: Blame): Place {
  let start: Place = { link: 0, mac: genesisMac, day: '' };
  let former: AuditSegment | undefined;
  for (const row of segments) {
    const segment = toSegment(row);
    const { day, firstLink, lastLink, mac } = segment;
    if (!sameMac(segmentSeal(key, segment), row.seal)) {
      blame(lastLink, 'summary_changed', { day }, `the summary of ${day} was changed`);
    }
    const wantedFirst = (former?.lastLink ?? 0) + 1;
    if (firstLink !== wantedFirst) {
      blame(wantedFirst, 'summary_missing', { day }, `the summary before ${day} is missing`);
    }
    if (!sameMac(segment.formerMac, former?.mac ?? genesisMac)) {
      blame(firstLink, 'summary_out_of_sequence', { day }, `${day} does not follow the day before`);
    }
    if (segment.prunedAt !== null) start = { link: lastLink, mac, day };
    former = segment;
  }
  return start;
}

interface Walk {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly start: Place;
  /** The link to end with. */
  readonly last: number;
  readonly expected: { link: number; mac: string } | undefined;
  readonly blame: Blame;
  /** Told the link that was reached. */
  readonly told: (link: number) => void;
}

async function checkLinks({
  database,
  key,
  start,
  last,
  expected,
  blame,
  told,
}: Walk): Promise<{ end: Place; links: number; entries: number; passedExpected: boolean }> {
  let end = start;
  let links = 0;
  let entries = 0;
  let passedExpected = false;
  told(start.link);
  while (end.link < last) {
    const rows = boundedPage(await listLinks(database.db, end.link, linksPerRead), last);
    const reached = rows.at(-1)?.link;
    if (reached === undefined) break;
    const groups = Map.groupBy(await listLinkEntries(database.db, end.link + 1, reached), (row) => row.link);
    for (const row of rows) {
      const own = groups.get(row.link) ?? [];
      checkLink(key, end, row, own, blame);
      if (expected?.link === row.link) passedExpected = sameMac(expected.mac, row.mac);
      groups.delete(row.link);
      // The stored code, so that one changed row is named once and not with every link that follows.
      end = { link: row.link, mac: row.mac, day: row.day };
      links += 1;
      entries += own.length;
    }
    for (const stray of groups.keys()) {
      blame(stray, 'entries_without_link', {}, 'entries stand where the chain has no link');
    }
    told(end.link);
  }
  return { end, links, entries, passedExpected };
}

function boundedPage(rows: readonly AuditLinkRow[], headLink: number): AuditLinkRow[] {
  let entries = 0;
  return rows.filter((row, index) => {
    entries += row.entries;
    return row.link <= headLink && (index === 0 || entries <= entriesPerRead);
  });
}

function checkLink(
  key: Uint8Array,
  former: Place,
  row: AuditLinkRow,
  entries: readonly AuditEntryRow[],
  blame: Blame,
): void {
  const missing = { first: former.link + 1, last: row.link - 1 };
  if (row.link !== missing.first) {
    blame(missing.first, 'links_missing', missing, `links ${missing.first} to ${missing.last} are missing`);
  }
  const counted = { entries: entries.length, expected: row.entries };
  if (counted.entries !== counted.expected) {
    const reason = `has ${counted.entries} entries instead of ${counted.expected}`;
    blame(row.link, 'entries_miscounted', counted, reason);
  }
  const moved = entries.some((entry, index) => entry.position !== index);
  const events = entries.map((entry) => eventText(toEvent(entry)));
  const wanted = linkMac(key, former.mac, { link: row.link, day: row.day, at: row.at }, events);
  if (moved || !sameMac(wanted, row.mac)) {
    blame(row.link, 'link_changed', {}, 'an entry, its order or the link before it was changed');
  }
}

function checkHead(head: Place & { closedDay: string }, end: Place, blame: Blame): void {
  if (end.link !== head.link) {
    const reason = `the chain ends at link ${end.link}, but its head is ${head.link}: it was cut off`;
    blame(head.link, 'chain_cut_off', { end: end.link, head: head.link }, reason);
    return;
  }
  if (!sameMac(head.mac, end.mac)) {
    blame(head.link, 'head_of_another_link', {}, 'the head does not fit the last link');
  }
  // `closedDay` may be no date. Then `checkSegments` has already reported that day's summary.
  const isClosed = /^\d{4}-\d{2}-\d{2}$/.test(head.closedDay) && !Number.isNaN(Date.parse(head.closedDay));
  const reached = isClosed ? laterDay(end.day, dayAfter(head.closedDay)) : end.day;
  if (head.day !== reached) {
    blame(head.link, 'head_of_another_day', {}, 'the day of the head is not the one that the chain has reached');
  }
}

/** The chain did not pass through the expected head; the end of a removed day is known by its summary all the same. */
function blameExpected(
  expected: { link: number; mac: string },
  start: Place,
  segments: readonly AuditSegmentRow[],
  blame: Blame,
): void {
  const summary = segments.find((row) => row.last_link === expected.link);
  const known = expected.link === 0 ? genesisMac : summary?.mac;
  if (known !== undefined && sameMac(expected.mac, known)) return;
  if (expected.link < start.link && summary === undefined) {
    blame(
      expected.link,
      'expected_head_removed',
      {},
      'the expected head lies within a day whose entries were removed when their time was over: ' +
        'of such days only the head that closed them can be checked',
    );
  } else {
    blame(expected.link, 'expected_head_not_passed', {}, 'the chain does not pass through the expected head');
  }
}

function openEnds(segments: readonly AuditSegmentRow[]): number[] {
  return segments.filter((row) => row.pruned_at === null).map((row) => row.last_link);
}

function checkSegmentEnds(segments: readonly AuditSegmentRow[], macs: ReadonlyMap<number, string>, blame: Blame): void {
  for (const row of segments) {
    if (row.pruned_at === null && macs.get(row.last_link) !== row.mac) {
      const reason = `the links of ${row.day} do not end in its summary`;
      blame(row.last_link, 'summary_of_other_links', { day: row.day }, reason);
    }
  }
}
