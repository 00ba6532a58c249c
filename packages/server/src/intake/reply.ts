import type { Reply } from '../carriers/carrier.ts';

/** The organization of a carrier's inbound numbers: one number, or all with a prefix. */
export interface ReplyRoute {
  readonly organizationId: string;
  readonly carrierId: string;
  readonly match: { readonly number: string } | { readonly prefix: string };
}

/** The latest message of any organization to the replying phone. */
interface LatestMessage {
  readonly organizationId: string;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
}

type ReplyOwner =
  | { readonly by: 'number' | 'prefix' | 'latest-message'; readonly organizationId: string }
  /** Unmatched: kept and shown to the operator. */
  | { readonly by: 'nothing' };

/** How long after a message a reply without a route counts as an answer to it. */
export const replyWindowMs = 72 * 3600 * 1000;

/**
 * Finds the organization of a reply: by the carrier's route for the number, else by the route with the longest prefix
 * of it, else the organization that last wrote to that phone.
 *
 * @param routes the carrier's at least; no two of them have the same number or prefix
 * @param latest undefined without any message to that phone
 * @param now epoch milliseconds
 */
export function ownerOfReply(
  reply: Pick<Reply, 'carrierId' | 'to'>,
  routes: readonly ReplyRoute[],
  latest: LatestMessage | undefined,
  now: number,
): ReplyOwner {
  const to = bareAddress(reply.to);
  let best: { readonly route: ReplyRoute; readonly length: number } | undefined;
  for (const route of routes) {
    if (route.carrierId !== reply.carrierId) continue;
    if ('number' in route.match) {
      if (bareAddress(route.match.number) === to) return { by: 'number', organizationId: route.organizationId };
      continue;
    }
    const prefix = bareAddress(route.match.prefix);
    if (to.startsWith(prefix) && prefix.length > (best?.length ?? 0)) best = { route, length: prefix.length };
  }
  if (best !== undefined) return { by: 'prefix', organizationId: best.route.organizationId };
  const isRecent = latest !== undefined && now - latest.acceptedAt <= replyWindowMs;
  return isRecent ? { by: 'latest-message', organizationId: latest.organizationId } : { by: 'nothing' };
}

/**
 * An inbound address in the form of routes: carriers give numbers with or without `+`, and names in any letter case.
 */
export function bareAddress(address: string): string {
  return address.replace(/[\s+]/g, '').toLowerCase();
}
