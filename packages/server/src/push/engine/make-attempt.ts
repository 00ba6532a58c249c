import type { AttemptColumns } from '../../database/schema/push-tables.ts';
import type { AttemptThread } from '../../outbound/attempt-thread.ts';
import type { OutboundRequest } from '../../outbound/guarded-request.ts';
import type { Outcome } from '../../outbound/outcome.ts';
import { signPush } from '../../outbound/signature.ts';
import type { TargetUrl } from '../../outbound/target-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { WaitingPush } from '../outbox/push-event.ts';
import { rawQuery } from '../outbox/push-query.ts';
import type { SettingFacts } from '../settings/setting-facts.ts';

export interface AttemptNeeds {
  readonly attempts: Pick<AttemptThread, 'attempt'>;
  readonly clock: Clock;
  /** `Waxwing/1.0.0` */
  readonly userAgent: string;
}

/** Makes one attempt of a push by its setting, as it is now. Never rejects. */
export function makeAttempt(
  { attempts, clock, userAgent }: AttemptNeeds,
  facts: SettingFacts,
  push: Pick<WaitingPush, 'id' | 'content'>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (facts.target === undefined) return Promise.resolve({ kind: 'refused', code: 'INVALID_URL', ms: 0 });
  const request = toRequest(facts, facts.target, push, userAgent, clock.now());
  return attempts.attempt(request, { timeoutMs: facts.timeoutMs, signal });
}

/** What is sent for a push: the same for a test push. */
export function toRequest(
  facts: SettingFacts,
  target: TargetUrl,
  push: Pick<WaitingPush, 'id' | 'content'>,
  userAgent: string,
  now: number,
): OutboundRequest {
  const { content } = push;
  const isPosted = 'body' in content;
  const query = isPosted ? target.ownQuery : rawQuery(content.query, target.ownQuery);
  const timestamp = Math.floor(now / 1000);
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    'webhook-id': push.id,
    'webhook-timestamp': String(timestamp),
    ...(isPosted && { 'content-type': 'application/json' }),
  };
  if (facts.secrets !== undefined) {
    headers['webhook-signature'] = signPush(
      facts.secrets,
      { id: push.id, timestamp, signed: isPosted ? content.body : query },
      now,
    );
  }
  return { target, query, headers, ...(isPosted && { body: content.body }) };
}

export function toRecord(outcome: Outcome, startedAt: number): AttemptColumns {
  return {
    at: startedAt,
    ms: Math.round(outcome.ms),
    address: outcome.address ?? null,
    outcome: outcome.kind,
    status: outcome.kind === 'answered' ? outcome.status : null,
    error: errorOf(outcome),
    excerpt: outcome.kind === 'answered' && outcome.excerpt ? outcome.excerpt : null,
  };
}

function errorOf(outcome: Outcome): string | null {
  if (outcome.kind === 'blocked') return outcome.why;
  return 'code' in outcome ? outcome.code : null;
}
