import type { KeyObject } from 'node:crypto';
import { urlSecrets } from '../../../outbound/receiver-words.ts';
import { signPush } from '../../../outbound/signature.ts';
import type { DnsProvider, ProofRecord } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, ProviderFault, resultOf } from './provider-fault.ts';
import type { ProviderRequest, SendRequest } from './provider-request.ts';
import { trialName } from './provider-zones.ts';
import type { SigningMoment } from './signatures/key-pair.ts';
import { tryRecord } from './try-record.ts';

export interface WebhookAccount {
  readonly url: string;
  readonly key?: KeyObject;
}

/** A program of the customer's that sets records. 200 is success and nothing else. */
export function webhookProvider(account: WebhookAccount, send: SendRequest, moment: () => SigningMoment): DnsProvider {
  const post = async (action: 'present' | 'cleanup', record: ProofRecord, signal: AbortSignal) => {
    const { status, body } = answeredBy(await send(webhookRequest(account, action, record, moment()), signal));
    if (status === 200) return;
    throw new ProviderFault(`Status ${status} instead of 200: ${body}`, { temporary: isTemporaryStatus(status) });
  };
  const secrets = urlSecrets(account.url);
  return {
    present: (record, signal) => resultOf(secrets, () => post('present', record, signal)),
    cleanUp: (record, signal) => resultOf(secrets, () => post('cleanup', record, signal)),
    test(domain, signal) {
      const record = { name: trialName(domain), value: `waxwing-test-${moment().nonce}`, ttl: 60 };
      return resultOf(secrets, () =>
        tryRecord(
          () => post('present', record, signal),
          (own) => post('cleanup', record, own),
        ),
      );
    },
  };
}

/** Signed as a push is; the nonce is its id. */
export function webhookRequest(
  { url, key }: WebhookAccount,
  action: 'present' | 'cleanup',
  { name, value, ttl }: ProofRecord,
  { now, nonce }: SigningMoment,
): ProviderRequest {
  const body = JSON.stringify({ action, name, value, ttl });
  const timestamp = Math.floor(now / 1000);
  const headers = { 'content-type': 'application/json', 'webhook-id': nonce, 'webhook-timestamp': `${timestamp}` };
  if (key === undefined) return { method: 'POST', url, headers, body };
  const signature = signPush({ current: key, former: [] }, { id: nonce, timestamp, signed: body }, now);
  return { method: 'POST', url, headers: { ...headers, 'webhook-signature': signature }, body };
}
