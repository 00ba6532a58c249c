import type { TestSample } from '@waxwing/contract/management-api/push-setting-operations.ts';
import { refusalMemos } from '@waxwing/contract/memos.ts';
import type { StatusPush, UplinkPush } from '@waxwing/contract/push-request.ts';
import { newId } from '../runtime/clock.ts';
import { type AttemptNeeds, toRecord, toRequest } from './make-attempt.ts';
import { isDelivered } from './outcome.ts';
import { isWithheld } from './push-view.ts';
import type { SettingFacts } from './setting-facts.ts';

/** What a test push sent, and what came back. */
export interface TestPush {
  /** The whole URL with the sample parameters; the own query of the customer's URL shows stars. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly delivered: boolean;
  readonly outcome: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly address: string | null;
  readonly ms: number;
  /** The first 1 KiB of the answer; null where it was empty or withheld. */
  readonly answer: string | null;
  readonly withheld: boolean;
}

const ofMessage = { batch_id: 'test', mobile: '+8613800138000' };
const statuses: Readonly<Record<TestSample, StatusPush>> = {
  delivered: { ...ofMessage, status: 'DELIVRD' },
  undelivered: { ...ofMessage, status: 'UNDELIV' },
  rejected: { ...ofMessage, status: 'REJECTED', memo: refusalMemos.optedOut },
};
const reply: UplinkPush = { mobile: '+8613800138000', message: 'This is a test push.' };

/** One attempt with sample values, made as any other; recorded nowhere. Never rejects. */
export async function sendTestPush(
  needs: AttemptNeeds,
  facts: SettingFacts,
  signal: AbortSignal,
  sample: TestSample = 'delivered',
): Promise<TestPush | undefined> {
  const { target } = facts;
  if (target === undefined) return undefined;
  const { clock } = needs;
  const now = clock.now();
  const push = { id: newId(now), payload: facts.kind === 'status' ? statuses[sample] : reply };
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
