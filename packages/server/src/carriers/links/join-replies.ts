/** Replies that phones send in several segments: kept until all are there, in whatever order, then handed in whole. */
import type { Ground } from '../../audit/ground.ts';
import { type Database, unlessUnavailable } from '../../database/database.ts';
import type { ReplySegmentRow } from '../../database/schema/carrier-tables.ts';
import type { Clock } from '../../runtime/clock.ts';
import { repeatingWorker, type Worker } from '../../runtime/supervisor.ts';
import type { TakeInbound } from '../carrier.ts';
import type { InboundReply } from './carrier-dialect.ts';
import {
  findLateSegments,
  findSegments,
  forgetSegments,
  keepSegment,
  markDelivered,
  type SegmentGroup,
} from './reply-segment-store.ts';

export interface ReplyJoiner {
  /**
   * Resolves when the segment is on disk, and the reply as well if it is whole by that. Killed in between, the reply is
   * handed in again. @throws DatabaseUnavailable
   */
  takeSegment(carrierId: string, reply: InboundReply): Promise<void>;
  /** Hands in replies that lack segments for too long. */
  readonly worker: Worker;
}

interface Needs extends Pick<Ground, 'wait'> {
  readonly database: Pick<Database, 'db'>;
  readonly take: TakeInbound;
  readonly clock: Pick<Clock, 'now'>;
}

/** After so long without a new segment a reply is handed in as it is. As long, segments that come again are known. */
export const segmentPatienceMs = 10 * 60_000;
/** Stands where segments are missing. */
export const gap = '[…]';
const lookEveryMs = 30_000;
const latePerLook = 100;

export function createReplyJoiner({ database, take, clock, wait }: Needs): ReplyJoiner {
  const { db } = database;
  /** The last segments of a reply may come side by side: one after the other, only one of them makes it whole. */
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  }

  async function handIn(group: SegmentGroup, segments: readonly ReplySegmentRow[]): Promise<void> {
    const { carrier_id: carrierId, sender: from, recipient: to } = group;
    await take({ kind: 'reply', carrierId, from, to, text: joinedText(segments, group.total) });
    await markDelivered(db, group, clock.now());
  }

  async function look(): Promise<void> {
    const before = clock.now() - segmentPatienceMs;
    for (const group of await findLateSegments(db, before, latePerLook)) {
      await inTurn(async () => {
        const segments = await findSegments(db, group);
        if (segments.some(({ delivered_at }) => delivered_at !== null)) return;
        await handIn(group, segments);
      });
    }
    await forgetSegments(db, before);
  }

  return {
    takeSegment: (carrierId, reply) =>
      inTurn(async () => {
        const row = toRow(carrierId, reply, clock.now());
        const former = await findSegments(db, row);
        const isDelivered = former.some(({ delivered_at }) => delivered_at !== null);
        const same = former.find(({ sequence }) => sequence === row.sequence);
        if (isDelivered && same?.content === row.content) return;
        // The phone has used the reference of a former text again.
        await keepSegment(db, row, isDelivered);
        const segments = isDelivered ? [row] : await findSegments(db, row);
        if (segments.length === row.total) await handIn(row, segments);
      }),
    worker: repeatingWorker('reply-segments', lookEveryMs, wait, () => unlessUnavailable(look()).then(() => {})),
  };
}

function toRow(carrierId: string, { from, to, text, segment }: InboundReply, at: number): ReplySegmentRow {
  const { reference, total, sequence } = segment ?? { reference: '', total: 1, sequence: 1 };
  return {
    ...{ carrier_id: carrierId, sender: from.replaceAll('\0', ''), recipient: to.replaceAll('\0', '') },
    ...{ reference, total, sequence, content: JSON.stringify(text), received_at: at, delivered_at: null },
  };
}

/** @param segments in their order */
export function joinedText(segments: readonly Pick<ReplySegmentRow, 'sequence' | 'content'>[], total: number): string {
  let text = '';
  let expected = 1;
  for (const { sequence, content } of segments) {
    if (sequence > expected) text += gap;
    text += JSON.parse(content) as string;
    expected = sequence + 1;
  }
  return expected <= total ? text + gap : text;
}
