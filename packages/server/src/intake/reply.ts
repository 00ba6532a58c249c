import type { Reply } from '../carriers/carrier.ts';

/** Which organization owns inbound numbers of a carrier: one number, or all that begin with a prefix. */
export interface ReplyRoute {
  readonly organizationId: string;
  readonly carrierId: string;
  readonly match: { readonly number: string } | { readonly prefix: string };
}

/** The latest message of any organization to the phone that replied. */
export interface LatestMessage {
  readonly organizationId: string;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
}

export type ReplyOwner =
  | { readonly by: 'number' | 'prefix' | 'latest-message'; readonly organizationId: string }
  /** Nobody's: kept and shown to the operator. */
  | { readonly by: 'nothing' };

/** How long after a message a reply without a route is taken to answer it, milliseconds. */
export const replyWindowMs = 72 * 3600 * 1000;

/**
 * Whose a reply is: the route of its carrier for the number it was sent to, else the route with the longest prefix of
 * it, else the organization that wrote last to that phone.
 *
 * @param routes those of the carrier at least; no two of a carrier have the same number or the same prefix
 * @param latest undefined when nobody ever wrote to that phone
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
 * An inbound address as it is compared, and as routes store theirs: carriers give the same number with and without `+`,
 * and names in any case.
 */
export function bareAddress(address: string): string {
  return address.replace(/[\s+]/g, '').toLowerCase();
}
