import { sendingFailureWords } from '@waxwing/contract/sending-failures.ts';
import type { AttemptThread } from '../../outbound/attempt-thread.ts';
import { failureWords } from '../../outbound/failure-words.ts';
import { isDelivered, type Outcome } from '../../outbound/outcome.ts';
import { receiverWords, urlSecrets } from '../../outbound/receiver-words.ts';
import { parseSigningSecret, signPush } from '../../outbound/signature.ts';
import { parseTargetUrl } from '../../outbound/target-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type ChannelTarget, type Notice, refused, type SendResult } from './notice.ts';

export interface WebhookNeeds {
  readonly attempts: Pick<AttemptThread, 'attempt'>;
  readonly clock: Pick<Clock, 'now'>;
  /** `Waxwing/1.0.0` */
  readonly userAgent: string;
}

/** As a push has it unless its setting says otherwise. */
const timeoutMs = 10_000;

/**
 * Posts each notice by itself, signed as a push is, and stops at the first that is not answered 200. When the same
 * notices are sent again, the receiver knows those that it has by their `Webhook-Id`.
 */
export async function postNotices(
  { attempts, clock, userAgent }: WebhookNeeds,
  { url, secret }: ChannelTarget,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<SendResult> {
  const address = url?.reveal() ?? '';
  const parsed = parseTargetUrl(address);
  if (!parsed.ok) return refused(parsed.fault.message, false);
  const key = secret && parseSigningSecret(secret);
  if (secret !== undefined && key === undefined) {
    return refused(sendingFailureWords('webhookSecret'), false);
  }
  const { target } = parsed;
  for (const notice of notices) {
    const now = clock.now();
    const timestamp = Math.floor(now / 1000);
    const body = bodyOf(notice);
    const headers = {
      'user-agent': userAgent,
      'content-type': 'application/json',
      'webhook-id': notice.id,
      'webhook-timestamp': `${timestamp}`,
      ...(key && {
        'webhook-signature': signPush({ current: key, former: [] }, { id: notice.id, timestamp, signed: body }, now),
      }),
    };
    const request = { target, query: target.ownQuery, headers, body };
    let outcome = await attempts.attempt(request, { timeoutMs, signal });
    // The thread of attempts took it up too late, as it may while it is being loaded. That is no fault of the receiver,
    // and would put the alert off for half a minute.
    if (outcome.kind === 'cutOff' && !signal.aborted) outcome = await attempts.attempt(request, { timeoutMs, signal });
    if (!isDelivered(outcome)) return refused(wordsOf(outcome, [...urlSecrets(address), secret?.reveal() ?? '']));
  }
  return { kind: 'sent' };
}

function bodyOf({ type, at, organization, subject, detail }: Notice): string {
  return JSON.stringify({
    type,
    at: new Date(at).toISOString(),
    organization: organization?.id ?? null,
    subject,
    detail,
  });
}

function wordsOf(outcome: Outcome, secrets: readonly string[]): string {
  if (outcome.kind !== 'answered') return failureWords(outcome);
  const { status, excerpt = '' } = outcome;
  const words = receiverWords(excerpt, secrets);
  return sendingFailureWords(words === '' ? 'status' : 'statusSaid', { status, words });
}
