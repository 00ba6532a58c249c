import type { ProviderRequest } from '../provider-request.ts';
import { canonicalRequest, hmacSha256, type KeyPair, type SigningMoment, sha256Hex, urlOf } from './key-pair.ts';

export interface TencentCall {
  readonly host: string;
  readonly service: string;
  readonly action: string;
  readonly version: string;
  readonly body: string;
}

const algorithm = 'TC3-HMAC-SHA256';
const type = 'application/json; charset=utf-8';

/** Signature v3 of Tencent Cloud. */
export function signTencent(call: TencentCall, keys: KeyPair, { now }: SigningMoment): ProviderRequest {
  const { host, service, action, version, body } = call;
  const timestamp = `${Math.floor(now / 1000)}`;
  const date = new Date(now).toISOString().slice(0, 10);
  const headers = { 'content-type': type, host };
  const { text, signedHeaders } = canonicalRequest({ method: 'POST', path: '/', query: '', headers, body });
  const scope = `${date}/${service}/tc3_request`;
  const dateKey = hmacSha256(hmacSha256(`TC3${keys.secret}`, date), service);
  const toSign = [algorithm, timestamp, scope, sha256Hex(text)].join('\n');
  const signature = hmacSha256(hmacSha256(dateKey, 'tc3_request'), toSign).toString('hex');
  return {
    method: 'POST',
    url: urlOf(host, '/', ''),
    headers: {
      'content-type': type,
      'x-tc-action': action,
      'x-tc-version': version,
      'x-tc-timestamp': timestamp,
      authorization: `${algorithm} Credential=${keys.id}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    },
    body,
  };
}
