import type { QueryResult } from 'kysely';
import type { Database, Db } from '../database/connect.ts';
import {
  type AuditEvent,
  type AuditSegment,
  dayAfter,
  endOfDay,
  laterDay,
  linkDay,
  linkMac,
  segmentSeal,
  utcDay,
} from './audit-chain.ts';
import { type AuditFilter, listEntries } from './audit-index.ts';
import {
  advanceHead,
  formerHead,
  insertSegment,
  linkInserter,
  listSegments,
  lockHead,
  markPruned,
  prunedUpTo,
  pruneLinks,
  setHeadDay,
  summarizeOldestOpenDay,
  toEvent,
  toSegment,
} from './audit-store.ts';
import { type AuditVerdict, verifyChain } from './verify-chain.ts';

export type { AuditEvent } from './audit-chain.ts';
export type { AuditVerdict } from './verify-chain.ts';

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
  /** Records events in a transaction of their own, on the shortest way: for hand-outs, which wait for it. */
  append(events: readonly AuditEvent[]): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<(AuditEvent & { link: number })[]>;
  /** Recomputes the whole chain. `expected` is a head noted elsewhere (the log): the chain must still pass through it. */
  verify(expected?: { link: number; mac: string }): Promise<AuditVerdict>;
  /** Closes the days before `now`'s and returns them; their heads belong in the log. */
  closeDays(now: number): Promise<AuditSegment[]>;
  /** Removes entries of closed days that ended before `before`; their sealed summaries stay. Returns how many days. */
  prune(before: number, now: number): Promise<number>;
}

const linksPerTransaction = 500;

/** @param key 32 bytes that whoever can write the database does not have. */
export function createAuditTrail(database: Database, key: Uint8Array): AuditTrail {
  const advance = advanceHead(database.db);
  const insertLink = linkInserter(database);

  function nextLink(advanced: QueryResult<unknown> | undefined, events: readonly AuditEvent[]) {
    const stored = events.map(asStored);
    const former = formerHead(advanced);
    const at = events.at(-1)?.at ?? 0;
    const link = { link: former.link + 1, day: linkDay(at, former.day), at };
    return insertLink(link, linkMac(key, former.mac, link, stored), stored);
  }

  return {
    async record(trx, events) {
      if (events.length === 0) return;
      for (const query of nextLink(await trx.executeQuery(advance), events)) await trx.executeQuery(query);
    },

    async append(events) {
      if (events.length > 0) await database.runBatch([advance], ([advanced]) => nextLink(advanced, events));
    },

    async list(filter) {
      const rows = await listEntries(database.db, await prunedUpTo(database.db), filter);
      return rows.map((row) => ({ ...toEvent(row), link: row.link }));
    },

    verify: (expected) => verifyChain(database, key, expected),

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

    async prune(before, now) {
      const due = (await listSegments(database.db)).filter(
        (segment) => segment.pruned_at === null && endOfDay(segment.day) <= before,
      );
      // Marked first: a process killed between two chunks leaves a chain that starts later, not one with a hole.
      for (const row of due) {
        await markPruned(database.db, row.day, segmentSeal(key, { ...toSegment(row), prunedAt: now }), now);
      }
      const reached = await prunedUpTo(database.db);
      // In chunks, so that no transaction holds the writer for long.
      while (await database.transaction((trx) => pruneLinks(trx, reached, linksPerTransaction)));
      return due.length;
    },
  };
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

/** The code is computed over what the database will give back: it makes U+FFFD of lone surrogates. */
function asStored(event: AuditEvent): AuditEvent {
  return {
    organizationId: event.organizationId.toWellFormed(),
    actor: event.actor.toWellFormed(),
    action: event.action.toWellFormed(),
    subject: event.subject.toWellFormed(),
    at: event.at,
    detail: event.detail.toWellFormed(),
  };
}
