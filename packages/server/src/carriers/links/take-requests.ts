/** What a carrier asks of us: receipts and replies are put on disk before they are answered. */
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { TakeInbound } from '../carrier.ts';
import type { CarrierDialect, InboundReceipt, InboundReply } from './carrier-dialect.ts';
import type { LinkCounts } from './link-counts.ts';
import type { ReceiptIds } from './receipt-ids.ts';

/** An id of a submit that a carrier accepted, and the number that the message went to. */
export interface SubmittedId {
  readonly id: string;
  readonly destination: string;
}

export interface TakeRequestsNeeds<P extends SessionPdu> {
  readonly carrierId: string;
  readonly dialect: CarrierDialect<P>;
  readonly ids: ReceiptIds;
  readonly counts: LinkCounts;
  readonly take: TakeInbound;
  /** Keeps a segment of a longer reply, and hands the reply in when it is whole. */
  readonly takeSegment: (carrierId: string, reply: InboundReply) => Promise<void>;
  /** Resolves when the submits under way are answered, or after a moment. */
  readonly answersAwaited: () => Promise<void>;
  readonly records: { submitted(carrierId: string, ids: readonly string[]): Promise<readonly SubmittedId[]> };
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** @returns the answer to a request of the carrier. Never rejects */
export function createTakeRequests<P extends SessionPdu>(
  needs: TakeRequestsNeeds<P>,
): (request: P) => Promise<P | undefined> {
  const { carrierId, dialect, log } = needs;
  return async (request) => {
    const inbound = dialect.readInbound(request);
    try {
      if (inbound.kind === 'receipt') await takeReceipt(needs, inbound);
      else if (inbound.kind === 'reply') await takeReply(needs, inbound);
      else log.warn({ carrier: carrierId, what: inbound.what }, 'a carrier sent something that is not used');
      return dialect.answerInbound(request, 'taken');
    } catch (error) {
      log.warn(
        { carrier: carrierId, err: error },
        'a request of a carrier cannot be taken now; it is to send it again',
      );
      return dialect.answerInbound(request, 'not-now');
    }
  };
}

async function takeReceipt<P extends SessionPdu>(needs: TakeRequestsNeeds<P>, receipt: InboundReceipt): Promise<void> {
  const { carrierId, ids, counts, take, log } = needs;
  const { messageId, state, networkError, recipient, isIntermediate } = receipt;
  counts.receipts += 1;
  if (isIntermediate) return;
  if (messageId === undefined || state === undefined) {
    log.warn({ carrier: carrierId, state }, 'a receipt names no message or no state');
    return;
  }
  const ofPiece = ids.partOfPiece(ids.assumed(messageId));
  if (ofPiece !== undefined) {
    // A part is not delivered while one of its messages is not. That it is delivered the last one tells.
    if (isFailure(state)) await take({ kind: 'receipt', carrierId, carrierMessageId: ofPiece, state, networkError });
    return;
  }
  const carrierMessageId = ids.find(messageId, recipient) ?? (await findLater(needs, messageId, recipient));
  await take({ kind: 'receipt', carrierId, carrierMessageId, state, networkError });
}

/** Of `message_state` (SMPP 3.4 §5.2.28): neither on its way, nor delivered or accepted. */
const isFailure = (state: number): boolean => ![0, 1, 2, 6].includes(state);

async function findLater<P extends SessionPdu>(
  { carrierId, ids, answersAwaited, records }: TakeRequestsNeeds<P>,
  messageId: string,
  recipient: string,
): Promise<string> {
  await answersAwaited();
  // Submits from before a restart are remembered on disk alone.
  const submitted = await records.submitted(carrierId, ids.candidates(messageId));
  for (const { id, destination } of submitted) ids.accepted(id, destination);
  return ids.find(messageId, recipient) ?? ids.assumed(messageId);
}

async function takeReply<P extends SessionPdu>(needs: TakeRequestsNeeds<P>, reply: InboundReply): Promise<void> {
  const { carrierId, take, takeSegment } = needs;
  if (reply.segment !== undefined && reply.segment.total > 1) return takeSegment(carrierId, reply);
  await take({ kind: 'reply', carrierId, from: reply.from, to: reply.to, text: reply.text });
}
