import type { ProviderRequest } from '../provider-request.ts';
import {
  canonicalQuery,
  canonicalRequest,
  hmacSha256,
  type KeyPair,
  type SigningMoment,
  sha256Hex,
  urlOf,
} from './key-pair.ts';

export interface AliyunCall {
  readonly host: string;
  readonly action: string;
  readonly version: string;
  readonly query: Readonly<Record<string, string>>;
}

const algorithm = 'ACS3-HMAC-SHA256';

/** Signature V3 of Alibaba Cloud. */
export function signAliyun(call: AliyunCall, keys: KeyPair, { now, nonce }: SigningMoment): ProviderRequest {
  const { host, action, version } = call;
  const query = canonicalQuery(call.query);
  const { host: _, ...sent } = {
    host,
    'x-acs-action': action,
    'x-acs-content-sha256': sha256Hex(''),
    'x-acs-date': new Date(now).toISOString().replace(/\.\d+/, ''),
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  };
  const headers = { ...sent, host };
  const { text, signedHeaders } = canonicalRequest({ method: 'POST', path: '/', query, headers, body: '' });
  const signature = hmacSha256(keys.secret, `${algorithm}\n${sha256Hex(text)}`).toString('hex');
  const authorization = `${algorithm} Credential=${keys.id},SignedHeaders=${signedHeaders},Signature=${signature}`;
  return { method: 'POST', url: urlOf(host, '/', query), headers: { ...sent, authorization }, body: '' };
}
