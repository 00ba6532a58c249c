import type { Inbound, Receipt, Reply, TakeInbound } from '../carriers/carrier.ts';
import { type Database, isUnavailable } from '../database/connect.ts';
import type { RouteRow } from '../database/message-tables.ts';
import type { Deliveries } from '../messages/apply-receipt.ts';
import { findLatestMessage, type OwnedReply, recordReplies, type StopWords } from '../messages/apply-reply.ts';
import type { Outbox } from '../push/outbox.ts';
import { createBatcher } from '../runtime/batcher.ts';
import type { Clock } from '../runtime/clock.ts';
import { findRoutes } from './intake-store.ts';
import { readReceipt } from './receipt.ts';
import { bareAddress, ownerOfReply, type ReplyRoute, replyWindowMs } from './reply.ts';

export interface TakeInboundNeeds {
  readonly database: Database;
  readonly deliveries: Pick<Deliveries, 'apply'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly stopWords: StopWords;
  /** Whether nothing of this carrier comes from a real telephone. */
  readonly isSimulated: (carrierId: string) => boolean;
  readonly clock: Clock;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

const repliesPerCommit = 250;
const repliesWaiting = 10_000;

/**
 * Takes what carriers hand in: resolves once it is durable, with all that follows from it. Receipts and replies share the
 * commits of their neighbours; one that no database can take fails alone.
 *
 * A receipt that comes again changes nothing. A reply that comes again, because our acknowledgement was lost, is a second
 * one: nothing tells it from somebody who writes the same twice.
 */
export function createTakeInbound(needs: TakeInboundNeeds): TakeInbound {
  const replies = createBatcher<Reply, void>({
    maxGroup: repliesPerCommit,
    maxWaiting: repliesWaiting,
    isOutage: isUnavailable,
    async commit(group) {
      await takeReplies(needs, group);
      return new Array<void>(group.length);
    },
  });
  return (inbound: Inbound) =>
    inbound.kind === 'receipt' ? takeReceipt(needs, inbound) : replies.offer(toStorable(inbound));
}

/** What no database text holds must not make a carrier send the same thing for ever. */
function toStorable(reply: Reply): Reply {
  return { ...reply, from: storable(reply.from), to: storable(reply.to), text: storable(reply.text) };
}

function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

async function takeReceipt({ deliveries, log }: TakeInboundNeeds, receipt: Receipt): Promise<void> {
  const { carrierId, state } = receipt;
  const carrierMessageId = storable(receipt.carrierMessageId);
  const reading = readReceipt(receipt);
  if (reading.kind === 'final') {
    await deliveries.apply({ kind: 'receipt', carrierId, carrierMessageId, verdict: reading.verdict });
  } else if (reading.kind === 'unknown') {
    log.warn({ carrier: carrierId, state }, 'a receipt has a message state that SMPP does not know');
  }
}

async function takeReplies(needs: TakeInboundNeeds, replies: readonly Reply[]): Promise<void> {
  const { database, stopWords, isSimulated, clock } = needs;
  const routes = (await findRoutes(database, replies.flatMap(addressesOf))).map(toReplyRoute);
  const now = clock.now();
  const owned = await Promise.all(
    replies.map(async (reply): Promise<OwnedReply> => {
      const routed = ownerOfReply(reply, routes, undefined, now);
      const owner =
        routed.by === 'nothing'
          ? ownerOfReply(reply, [], await findLatestMessage(database.db, reply.from, now - replyWindowMs), now)
          : routed;
      return {
        organizationId: 'organizationId' in owner ? owner.organizationId : undefined,
        ownedBy: owner.by,
        carrierId: reply.carrierId,
        simulated: isSimulated(reply.carrierId),
        from: reply.from,
        to: reply.to,
        text: reply.text,
        stop: stopWords.isStop(reply.text),
      };
    }),
  );
  await recordReplies(needs, owned);
}

const longestAddress = 20;

/** All that a route for this reply may be for: its whole address and every prefix of it. */
function addressesOf({ carrierId, to }: Reply): { carrierId: string; address: string }[] {
  const bare = bareAddress(to).slice(0, longestAddress);
  return Array.from({ length: bare.length }, (_, index) => ({ carrierId, address: bare.slice(0, index + 1) }));
}

function toReplyRoute(row: RouteRow): ReplyRoute {
  return {
    organizationId: row.organization_id,
    carrierId: row.carrier_id,
    match: row.kind === 'number' ? { number: row.address } : { prefix: row.address },
  };
}
