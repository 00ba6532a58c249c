import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../runtime/clock.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import { type GuardedAnswer, guardedRequest, type OutboundRequest, type RequestLimits } from './guarded-request.ts';
import type { Answered, Outcome } from './outcome.ts';

export interface AttemptLimits extends Pick<RequestLimits, 'timeoutMs' | 'signal'> {
  readonly clock: Clock;
}

const MAXIMUM_BODY = 64 * 1024;
const MAXIMUM_EXCERPT = 1024;
const MAXIMUM_RETRY_AFTER = 64;

/**
 * Makes one attempt. An answer counts when its body has ended within the time limit, or 64 KiB of it have come. Never
 * rejects.
 */
export async function attemptDelivery(
  agent: GuardedAgent,
  request: OutboundRequest,
  { clock, timeoutMs, signal }: AttemptLimits,
): Promise<Outcome> {
  const startedAt = clock.monotonic();
  const limits = { timeoutMs, signal, maxBytes: MAXIMUM_BODY, keepBytes: MAXIMUM_EXCERPT };
  const end = await guardedRequest(agent, request, limits);
  const ms = clock.monotonic() - startedAt;
  if (end.kind !== 'answered') return { ...end, ms };
  const { address, sentTwice } = end;
  return { ...toAnswered(end), ...(address !== undefined && { address }), ms, ...(sentTwice && { sentTwice }) };
}

function toAnswered({ status, headers, body, mayShow }: GuardedAnswer): Answered {
  const retryAfter = retryAfterOf(headers);
  return {
    kind: 'answered',
    status,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(mayShow && { excerpt: excerptOf(body) }),
  };
}

function retryAfterOf(headers: IncomingHttpHeaders): string | undefined {
  const value: string | string[] | undefined = headers['retry-after'];
  return (Array.isArray(value) ? value[0] : value)?.slice(0, MAXIMUM_RETRY_AFTER);
}

/** Streaming drops a character that the limit cuts. */
function excerptOf(body: Buffer): string {
  if (body.length === 0) return '';
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\ufffd');
}
