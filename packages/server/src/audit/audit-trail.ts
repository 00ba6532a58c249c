import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Database, Db } from '../database/database.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import { toStoredValue } from '../database/sql/stored-value.ts';
import {
  type AuditEvent,
  type AuditSegment,
  dayAfter,
  endOfDay,
  eventText,
  laterDay,
  linkDay,
  linkMac,
  segmentSeal,
  utcDay,
} from './audit-chain.ts';
import { type AuditFilter, listEntries } from './audit-index.ts';
import {
  type AuditHead,
  advanceHead,
  formerHead,
  insertSegment,
  isMovedHead,
  linkQueries,
  listSegments,
  lockHead,
  markPruned,
  prunedUpTo,
  pruneLinks,
  readHead,
  readLatestAt,
  readLinkAt,
  setHeadDay,
  summarizeOldestOpenDay,
  toEvent,
  toSegment,
} from './audit-store.ts';
import { type AuditSearch, type PlacedEvent, searchAudit } from './search-audit.ts';
import { type AuditVerdict, type OnLinksChecked, verifyChain } from './verify-chain.ts';

export type { AuditEvent } from './audit-chain.ts';
export type { AuditSearch, PlacedEvent } from './search-audit.ts';
export type { AuditVerdict } from './verify-chain.ts';

/** The actions of this version. Entries of other versions may have other actions. */
export interface RecordedEvent extends AuditEvent {
  readonly action: AuditAction;
}

/**
 * The audit trail: who changed what, and every hand-out of a private key. Events are chained by HMAC, one link per
 * transaction, so that a changed, removed, inserted or cut-off row shows.
 */
export interface AuditTrail {
  /**
   * Appends the events as one link inside the caller's transaction. Call it last: it holds the chain's head until the
   * transaction ends.
   */
  record(trx: Db, events: readonly RecordedEvent[]): Promise<void>;
  /**
   * Records events in a transaction of their own, on the shortest way: for hand-outs, which wait for it.
   * @param answerMs how long anybody waits for it, for `runBatch`
   */
  append(events: readonly RecordedEvent[], answerMs?: number): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<(AuditEvent & { link: number; position: number })[]>;
  /** Newest first, of a bounded part of the trail. */
  search(search: AuditSearch): Promise<Found<PlacedEvent>>;
  /** The latest moment at which anything was recorded, epoch milliseconds; undefined where nothing was. Reads the whole trail. */
  latestAt(): Promise<number | undefined>;
  /** Recomputes the whole chain. `expected` is a head noted elsewhere (the log): the chain must still pass through it. */
  verify(expected?: { link: number; mac: string }, onChecked?: OnLinksChecked): Promise<AuditVerdict>;
  /** Closes the days before `now`'s and returns them; their heads belong in the log. */
  closeDays(now: number): Promise<AuditSegment[]>;
  /**
   * Removes entries of closed days that ended before `before`; their sealed summaries stay. Returns how many days.
   * @param signal ends it early: the rest of these days is no longer listed, and the next run removes it
   */
  prune(before: number, now: number, signal?: AbortSignal): Promise<number>;
}

/** @param key 32 bytes that whoever can write the database does not have. */
export function createAuditTrail(database: Database, key: Uint8Array): AuditTrail {
  const advance = advanceHead(database.db);
  const queries = linkQueries(database);
  /** The head as the last `append` leaves it; undefined where it has to be read. */
  let lastHead: AuditHead | undefined;
  /** Changes whenever a head that was counted on turns out to be another. */
  let course = {};
  let reading: Promise<void> | undefined;

  function nextLink(former: AuditHead, events: readonly AuditEvent[]) {
    const texts = events.map((event) => eventText(asStored(event)));
    const at = events.at(-1)?.at ?? 0;
    const link = { link: former.link + 1, day: linkDay(at, former.day), at };
    const mac = linkMac(key, former.mac, link, texts);
    return { link, mac, texts, head: { link: link.link, mac, day: link.day } };
  }

  /**
   * With the head known beforehand, one message to SQLite's thread instead of two, and the next link can be sent before
   * this one is on disk. Not on PostgreSQL, where other nodes move the head as well.
   * @returns whether the head was where the last `append` has moved it; if not, nothing was written
   */
  async function appendToLastHead(former: AuditHead, events: readonly AuditEvent[]): Promise<boolean> {
    const { link, mac, texts, head } = nextLink(former, events);
    lastHead = head;
    const mine = course;
    try {
      await database.runBatch(queries.onto(former, link, mac, texts), undefined, { isUrgent: true });
      return true;
    } catch (error) {
      // Links that are chained to this one fail as well, and then find the head known again or being read.
      if (course === mine) forgetHead();
      if (isMovedHead(error)) return false;
      throw error;
    }
  }

  /** The reader of the head is alone: a link sent meanwhile would be chained to a head that is gone. */
  async function headRead(): Promise<void> {
    while (reading !== undefined) await reading.catch(() => {});
  }

  function forgetHead(): void {
    lastHead = undefined;
    course = {};
  }

  async function appendToReadHead(events: readonly AuditEvent[], answerMs: number | undefined): Promise<void> {
    let reached: AuditHead | undefined;
    const linked: Parameters<Database['runBatch']>[1] = ([advanced]) => {
      const { link, mac, texts, head } = nextLink(formerHead(advanced), events);
      reached = head;
      return queries.afterAdvance(link, mac, texts);
    };
    await database.runBatch([advance], linked, { isUrgent: true, answerMs });
    if (database.dialect === 'sqlite') lastHead = reached;
  }

  const trail: AuditTrail = {
    async record(trx, events) {
      if (events.length === 0) return;
      const { link, mac, texts } = nextLink(formerHead(await trx.executeQuery(advance)), events);
      for (const query of queries.afterAdvance(link, mac, texts)) await trx.executeQuery(query);
    },

    async append(events, answerMs) {
      if (events.length === 0) return;
      // On PostgreSQL the row of the head serializes the servers, and no caller waits for a connection that has fallen
      // silent.
      if (database.dialect === 'postgres') return appendToReadHead(events, answerMs);
      await headRead();
      if (lastHead !== undefined && (await appendToLastHead(lastHead, events))) return;
      await headRead();
      reading = appendToReadHead(events, answerMs).finally(() => {
        reading = undefined;
      });
      await reading;
    },

    async list(filter) {
      const rows = await listEntries(database, await prunedUpTo(database.db), filter);
      return rows.map((row) => ({ ...toEvent(row), link: row.link, position: row.position }));
    },

    search: (search) =>
      searchAudit(
        {
          list: trail.list,
          linkAt: async (link) => readLinkAt(database.db, link),
          links: async () => {
            const [head, pruned] = await Promise.all([readHead(database.db), prunedUpTo(database.db)]);
            return { first: pruned + 1, last: head?.link ?? 0 };
          },
        },
        search,
      ),

    latestAt: () => readLatestAt(database),

    verify: (expected, onChecked) => verifyChain(database, key, expected, onChecked),

    async closeDays(now) {
      const closed: AuditSegment[] = [];
      const today = utcDay(now);
      // Asked without a lock first: nearly always there is nothing to close.
      while ((await summarizeOldestOpenDay(database.db, today)) !== undefined) {
        const segment = await database.transaction((trx) => closeOldestDay(trx, key, today, now));
        if (segment !== undefined) closed.push(segment);
      }
      return closed;
    },

    async prune(before, now, signal) {
      const due = (await listSegments(database.db)).filter(
        (segment) => segment.pruned_at === null && endOfDay(segment.day) <= before,
      );
      // Marked first: a process killed between two chunks leaves a chain that starts later, not one with a hole.
      for (const row of due) {
        await markPruned(database.db, row.day, segmentSeal(key, { ...toSegment(row), prunedAt: now }), now);
      }
      const reached = await prunedUpTo(database.db);
      // In chunks, so that no transaction holds the writer for long.
      while (!signal?.aborted && (await database.transaction((trx) => pruneLinks(database, trx, reached))));
      return due.length;
    },
  };
  return trail;
}

/** Undefined when another server was faster. */
async function closeOldestDay(trx: Db, key: Uint8Array, today: string, now: number): Promise<AuditSegment | undefined> {
  const reachedDay = await lockHead(trx);
  const open = await summarizeOldestOpenDay(trx, today);
  if (open === undefined) return undefined;
  const segment = { ...open, closedAt: now, prunedAt: null };
  await insertSegment(trx, segment, segmentSeal(key, segment));
  // A server whose clock is behind, or was set back, must not append to a day that is closed.
  await setHeadDay(trx, laterDay(reachedDay, dayAfter(open.day)));
  return segment;
}

/**
 * The code is computed over the values as the database will return them. @throws UnstorableValue for a value that it
 * would change
 */
function asStored(event: AuditEvent): AuditEvent {
  return {
    organizationId: storable(event.organizationId, 'organization'),
    actor: storable(event.actor, 'actor'),
    action: storable(event.action, 'action'),
    subject: storable(event.subject, 'subject'),
    at: storable(event.at, 'time'),
    detail: storable(event.detail, 'detail'),
  };
}

function storable<Value extends string | number>(value: Value, name: string): Value {
  return toStoredValue(value, () => `the ${name} of an audit event`) as Value;
}
