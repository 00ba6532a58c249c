import type { Ground } from '../audit/ground.ts';
import type { Inbound, Receipt, Reply, TakeInbound } from '../carriers/carrier.ts';
import { isUnavailable } from '../database/database.ts';
import type { RouteRow } from '../database/schema/message-tables.ts';
import type { Deliveries } from '../messages/delivery/apply-receipt.ts';
import { findLatestMessage, type OwnedReply, recordReplies, type StopWords } from '../messages/delivery/apply-reply.ts';
import type { Outbox } from '../push/outbox/outbox.ts';
import { createBatcher } from '../runtime/batcher.ts';
import { findRoutes } from './intake-store.ts';
import { readReceipt } from './receipt.ts';
import { bareAddress, ownerOfReply, type ReplyRoute, replyWindowMs } from './reply.ts';

interface TakeInboundNeeds extends Pick<Ground, 'database' | 'clock'> {
  readonly deliveries: Pick<Deliveries, 'apply'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly stopWords: StopWords;
  readonly isSimulated: (carrierId: string) => boolean;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

const repliesPerCommit = 250;
const repliesWaiting = 10_000;

/**
 * Takes receipts and replies, and resolves once they and their consequences are on disk. They share the commits of
 * their neighbours; one that no database can store fails alone.
 *
 * A repeated receipt changes nothing. A reply repeated after a lost acknowledgement counts as a second one: it looks
 * the same as a person writing the same twice.
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

/** A text that no database can store must not make a carrier repeat it for ever. */
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

/** Every address that a route for this reply may have: its whole number and each prefix. */
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
