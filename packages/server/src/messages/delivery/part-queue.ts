/**
 * The submit queue: parts that no carrier has taken yet. It lies in the database. Parts that this node has just
 * accepted are handed over in memory as well, so that they are not read back.
 *
 * A part that a source has given out is *held* until its result is durable: only then may a reading find it again. A
 * carrier has one source at a time; a lease, outside, decides which server opens it.
 */
import { type SegmentedText, segmentsOf, type TextEncoding } from '@waxwing/smpp/text.ts';
import type { Ground } from '../../audit/ground.ts';
import { type PartRef, partId } from '../state/part-event.ts';
import { type DuePartRow, findDueParts, moveParts, type NextCarrier, pullForward } from './part-queue-store.ts';

export type { PartEvent, PartRef } from '../state/part-event.ts';
export { partId } from '../state/part-event.ts';
export type { Deliveries } from './apply-receipt.ts';
export { mostUnanswered, type NextCarrier } from './part-queue-store.ts';

export interface QueuedPart {
  readonly ref: PartRef;
  readonly id: string;
  readonly carrierId: string;
  /** E.164 with `+`. */
  readonly number: string;
  readonly sender: string | undefined;
  readonly encoding: TextEncoding;
  /** One of `segmentsOf` the content. */
  readonly text: string;
  /** Parts of its message. */
  readonly total: number;
  /** Submits so far, and those of them that were not answered. */
  readonly attempts: number;
  readonly unanswered: number;
  /** Ids of carriers that refused it for now. */
  readonly refusedBy: readonly string[];
  /** Epoch milliseconds. */
  readonly validUntil: number;
}

/** The parts of one carrier that are due, each given out once until it is released. */
export interface PartSource {
  /** Undefined: nothing is due, or it is not read yet. */
  next(): QueuedPart | undefined;
  /** The part's result is durable, or it was not submitted at all. */
  release(part: QueuedPart): void;
  /** Whether it is time to look at the database. */
  readonly wantsFill: boolean;
  /** Looks at the database, if it is time to. @throws DatabaseUnavailable */
  fill(): Promise<void>;
  /** Hears that `next` may have something. One listener. */
  onReady(listener: () => void): void;
  close(): void;
}

/**
 * The parts of batches whose commit is under way. A reading may find them, and a carrier may take them, before their
 * committer learns of the commit. They are not taken from the committer a second time.
 */
export interface ExpectedParts {
  /** The parts, once they are committed; due at once. */
  offer(parts: readonly QueuedPart[]): void;
  end(): void;
}

export interface PartQueue {
  /** @throws Error when the carrier has an open source */
  open(carrierId: string): PartSource;
  isOpen(carrierId: string): boolean;
  /** Says that these batches are about to be committed on this node. To be ended in any case. */
  expect(batchIds: readonly string[]): ExpectedParts;
  /**
   * Gives the waiting parts of one carrier to those that `choose` names for them; the others stay. To be called while the
   * carrier has no source anywhere, because a source may hold parts in memory.
   * @returns how many parts were moved
   */
  move(fromCarrier: string, choose: (part: PartToMove) => NextCarrier | undefined): Promise<number>;
  /** Makes due now what of a carrier is due later than in `longestWaitMs`. @returns how many parts that were */
  pullForward(carrierId: string, longestWaitMs: number): Promise<number>;
}

/** A waiting part, as far as it matters to who takes it. */
export interface PartToMove {
  readonly organizationId: string;
  /** E.164 with `+`. */
  readonly destination: string;
  readonly sender: string | undefined;
  /** Ids of carriers that refused it for now. */
  readonly refusedBy: readonly string[];
}

export interface PartQueueNeeds extends Pick<Ground, 'database' | 'clock'> {
  /** Parts ready in memory at most, for each carrier. */
  readonly maxReady?: number;
}

/** How often the database is asked for what became due, or was accepted by other nodes. */
const sweepMs = 250;
/**
 * While more is due than memory holds, each look goes on where the last one ended, and once in so long one begins at the
 * start: what was accepted before others but committed after them stands behind that place. Looks that all began at
 * the start read each part three times before it was submitted.
 */
const fromStartMs = 2_000;

export function createPartQueue({ database, clock, maxReady = 2_000 }: PartQueueNeeds): PartQueue {
  const sources = new Map<string, OpenSource>();
  const expected: Expected = new Map();
  return {
    open(carrierId) {
      if (sources.has(carrierId)) throw new Error(`the queue of carrier ${carrierId} is open already`);
      // Another server may have had the carrier until now, and have taken what is being committed.
      for (const group of expected.values()) group.mayBeTaken = true;
      const onClose = () => sources.delete(carrierId);
      const source = openSource({ database, clock, carrierId, maxReady, expected, onClose });
      sources.set(carrierId, source);
      return source;
    },
    isOpen: (carrierId) => sources.has(carrierId),
    expect(batchIds) {
      const group: ExpectedGroup = { found: new Set(), mayBeTaken: false };
      for (const id of batchIds) expected.set(id, group);
      return {
        offer(parts) {
          if (group.mayBeTaken) return;
          for (const part of parts) if (!group.found.has(part.id)) sources.get(part.carrierId)?.offer(part);
        },
        end() {
          for (const id of batchIds) expected.delete(id);
        },
      };
    },
    move: (fromCarrier, choose) =>
      moveParts(database, fromCarrier, ({ organization_id: organizationId, number: destination, sender, refused_by }) =>
        choose({ organizationId, destination, sender: sender ?? undefined, refusedBy: toIds(refused_by) }),
      ),
    pullForward(carrierId, longestWaitMs) {
      const now = clock.now();
      return pullForward(database.db, carrierId, { latest: now + longestWaitMs, now });
    },
  };
}

interface OpenSource extends PartSource {
  offer(part: QueuedPart): void;
}

interface ExpectedGroup {
  /** The parts that a look has found already. */
  readonly found: Set<string>;
  /** The database says which of them are still to be submitted, and nobody else. */
  mayBeTaken: boolean;
}

/** By the ids of their batches. */
type Expected = Map<string, ExpectedGroup>;

interface SourceNeeds extends Pick<Ground, 'database' | 'clock'> {
  readonly carrierId: string;
  readonly maxReady: number;
  readonly expected: Expected;
  readonly onClose: () => void;
}

function openSource({ database, clock, carrierId, maxReady, expected, onClose }: SourceNeeds): OpenSource {
  let ready: QueuedPart[] = [];
  let first = 0;
  /** When each part that is held was due, epoch milliseconds; undefined where no look has met it yet. */
  const held = new Map<string, number | undefined>();
  /** Released while the database is being read: what was read may still show them. */
  let releasedMeanwhile: Set<string> | undefined;
  /** Whether the database has due parts that are not in memory, as far as known. */
  let behind = true;
  /** Offered while the database is being read: only the end of the reading tells whether older ones wait there. */
  let offeredMeanwhile: QueuedPart[] = [];
  let sweptAt = Number.NEGATIVE_INFINITY;
  let startedAt = Number.NEGATIVE_INFINITY;
  /** Parts due before this moment have been read, and perhaps some that are due at it. Undefined: all is read. */
  let reached: number | undefined;
  let filling: Promise<void> | undefined;
  let listener: () => void = () => {};

  const readyCount = () => ready.length - first;

  function wantsFill(): boolean {
    if (readyCount() >= maxReady || filling !== undefined) return false;
    return clock.monotonic() - sweptAt >= sweepMs || (behind && readyCount() < maxReady / 4);
  }

  function add(part: QueuedPart, dueAt?: number): void {
    held.set(part.id, dueAt);
    ready.push(part);
  }

  /** In the order of their due times: while older ones wait in the database, this one waits behind them. */
  function addUnlessBehind(part: QueuedPart): void {
    behind ||= readyCount() >= maxReady;
    if (!behind) add(part);
  }

  /** So many of those that a look finds, at most, are known already. */
  function heldSince(from: number | undefined): number {
    let count = 0;
    for (const dueAt of held.values()) if (from === undefined || dueAt === undefined || dueAt >= from) count += 1;
    return count;
  }

  async function read(): Promise<void> {
    releasedMeanwhile = new Set();
    offeredMeanwhile = [];
    behind = true;
    const now = clock.monotonic();
    const from = now - startedAt < fromStartMs ? reached : undefined;
    if (from === undefined) startedAt = now;
    const limit = maxReady - readyCount() + heldSince(from);
    try {
      const rows = await findDueParts(database.db, carrierId, clock.now(), limit, from);
      // Parts of one batch come together: its text is cut once in each way.
      const texts = new Map<string, SegmentedText>();
      let seen = 0;
      for (const row of rows) {
        // Those that were held are released meanwhile, and others have come in their place.
        if (readyCount() >= maxReady) break;
        seen += 1;
        const part = toQueuedPart(row, textOf(row, texts));
        if (held.has(part.id)) held.set(part.id, row.due_at);
        else if (!releasedMeanwhile.has(part.id)) {
          expected.get(row.batch_id)?.found.add(part.id);
          add(part, row.due_at);
        }
      }
      reached = seen < limit && seen === rows.length ? undefined : rows[seen - 1]?.due_at;
      behind = reached !== undefined;
    } finally {
      releasedMeanwhile = undefined;
    }
    for (const part of offeredMeanwhile) if (!held.has(part.id)) addUnlessBehind(part);
    if (readyCount() > 0) listener();
  }

  return {
    next() {
      const part = ready[first];
      if (part === undefined) return undefined;
      first += 1;
      if (first === ready.length || first > maxReady) {
        ready = ready.slice(first);
        first = 0;
      }
      return part;
    },

    release(part) {
      held.delete(part.id);
      releasedMeanwhile?.add(part.id);
    },

    get wantsFill() {
      return wantsFill();
    },

    async fill() {
      if (!wantsFill()) return;
      sweptAt = clock.monotonic();
      filling = read().finally(() => {
        filling = undefined;
      });
      await filling;
    },

    onReady(heard) {
      listener = heard;
    },

    offer(part) {
      if (releasedMeanwhile !== undefined) {
        // Those beyond what memory holds are in the database, where the next look finds them.
        if (offeredMeanwhile.length <= maxReady) offeredMeanwhile.push(part);
        return;
      }
      addUnlessBehind(part);
      if (!behind) listener();
    },

    close() {
      ready = [];
      first = 0;
      listener = () => {};
      onClose();
    },
  };
}

function toIds(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

function textOf({ batch_id, content, text_cut }: DuePartRow, texts: Map<string, SegmentedText>): SegmentedText {
  const cut = text_cut ?? 'standard';
  const key = `${batch_id} ${cut}`;
  const text = texts.get(key) ?? segmentsOf(content, cut);
  texts.set(key, text);
  return text;
}

function toQueuedPart(row: DuePartRow, { encoding, segments }: SegmentedText): QueuedPart {
  const ref = { organizationId: row.organization_id, batchId: row.batch_id, position: row.position, part: row.part };
  return {
    ref,
    id: partId(ref),
    carrierId: row.carrier_id,
    number: row.number,
    sender: row.sender ?? undefined,
    encoding,
    text: segments[row.part] ?? '',
    total: segments.length,
    attempts: row.attempts,
    unanswered: row.unanswered,
    refusedBy: toIds(row.refused_by),
    validUntil: row.valid_until,
  };
}
