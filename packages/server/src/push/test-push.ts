import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type {
  TestSample,
  testPushSetting,
} from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import { isDelivered } from '../outbound/outcome.ts';
import { newId } from '../runtime/clock.ts';
import { type AttemptNeeds, toRecord, toRequest } from './engine/make-attempt.ts';
import { isWithheld } from './history/push-view.ts';
import type { PushParameters } from './outbox/push-event.ts';
import type { SettingFacts } from './settings/setting-facts.ts';

/** The request of a test push and its answer. */
export type TestPush = AnswerOf<typeof testPushSetting>;

export interface TestPushNeeds extends AttemptNeeds {
  /** What a test push sends, made by the domain that makes such pushes. */
  readonly sampleOf: (kind: PushKind, sample: TestSample) => PushParameters;
}

/** One attempt with sample values, made as any other; recorded nowhere. Never rejects. */
export async function sendTestPush(
  needs: TestPushNeeds,
  facts: SettingFacts,
  signal: AbortSignal,
  sample: TestSample = 'delivered',
): Promise<TestPush | undefined> {
  const { target } = facts;
  if (target === undefined) return undefined;
  const { clock } = needs;
  const now = clock.now();
  const push = { id: newId(now), content: { query: needs.sampleOf(facts.kind, sample) } };
  const request = toRequest(facts, target, push, needs.userAgent, now);
  const outcome = await needs.attempts.attempt(request, { timeoutMs: facts.timeoutMs, signal });
  const { outcome: kind, status, error, address, ms, excerpt } = toRecord(outcome, now);
  const ours = request.query.slice(target.ownQuery.length);
  return {
    url: `${target.origin}${target.path}?${target.ownQuery === '' ? '' : '***'}${ours}`,
    headers: request.headers,
    delivered: isDelivered(outcome),
    outcome: kind,
    status,
    error,
    address,
    ms,
    answer: excerpt,
    withheld: isWithheld({ outcome: kind, address }),
  };
}
