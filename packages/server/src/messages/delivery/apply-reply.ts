import type { Ground } from '../../audit/ground.ts';
import type { ReplyRow } from '../../database/schema/message-tables.ts';
import type { Outbox } from '../../push/outbox/outbox.ts';
import { newId } from '../../runtime/clock.ts';
import { addOptOut } from '../senders/blocked-list-store.ts';
import { readPhoneNumber } from '../senders/phone-number.ts';
import { appendingEvents } from '../state/event-log.ts';
import { replyParameters } from '../state/pushed-parameters.ts';
import { insertReplies } from '../state/reply-store.ts';

export { createStopWords, type StopWords } from '../senders/stop-word.ts';
export { findLatestMessage } from '../state/message-store.ts';

/** A reply, and whose it is. */
export interface OwnedReply {
  /** Undefined: nobody's. It is kept, and shown to the operator. */
  readonly organizationId: string | undefined;
  readonly ownedBy: ReplyRow['owned_by'];
  readonly carrierId: string;
  readonly simulated: boolean;
  /** Who wrote it. No text here holds U+0000. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Whether it asks not to be sent anything any more. */
  readonly stop: boolean;
}

interface Needs extends Pick<Ground, 'database' | 'clock'> {
  readonly outbox: Pick<Outbox, 'enqueue'>;
}

const e164 = /^\+[0-9]{3,15}$/;

/** An opt-out is looked up by the number that a message goes to, so it is read as that is. Undefined: no number of the world. */
function optedOut(sender: string): string | undefined {
  const reading = readPhoneNumber(sender, undefined);
  if ('number' in reading) return reading.number;
  return e164.test(sender) ? sender : undefined;
}

/** Keeps replies, with the opt-outs, events and pushes that follow from them, in one transaction. */
export async function recordReplies({ database, outbox, clock }: Needs, replies: readonly OwnedReply[]): Promise<void> {
  const at = clock.now();
  const rows = replies.map((reply) => toRow(reply, at));
  const owned = rows.filter((row) => row.organization_id !== '');
  const { committed } = await database.transaction(async (trx) => {
    // In one order everywhere, so that no two transactions wait for each other.
    const stops = owned.flatMap(({ stop, organization_id, sender }) => {
      const number = stop === 1 ? optedOut(sender) : undefined;
      return number === undefined ? [] : [{ organization_id, number }];
    });
    for (const each of stops.toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
      await addOptOut(trx, { ...each, source: 'reply', created_at: at });
    }
    const events = owned.map((row) => ({
      organizationId: row.organization_id,
      kind: 'reply' as const,
      subjectId: row.id,
      position: 0,
    }));
    for (const query of appendingEvents(database, events, at)) await trx.executeQuery(query);
    const enqueued = await outbox.enqueue(
      trx,
      owned.map((row) => ({
        organizationId: row.organization_id,
        kind: 'uplink' as const,
        query: replyParameters(row.sender, row.content),
      })),
    );
    for (const [index, row] of owned.entries()) {
      const result = enqueued.results[index];
      if (result?.state === 'queued') row.push_id = result.pushId;
    }
    await insertReplies(database, trx, rows);
    return enqueued;
  });
  committed();
}

function toRow(reply: OwnedReply, at: number): ReplyRow {
  return {
    organization_id: reply.organizationId ?? '',
    id: newId(at),
    carrier_id: reply.carrierId,
    sender: reply.from,
    recipient: reply.to,
    content: reply.text,
    owned_by: reply.ownedBy,
    stop: reply.stop ? 1 : 0,
    simulated: reply.simulated ? 1 : 0,
    received_at: at,
    push_id: null,
  };
}
