import type { ProviderRequest } from '../provider-request.ts';
import {
  basicTime,
  canonicalQuery,
  canonicalRequest,
  hmacSha256,
  type KeyPair,
  type SigningMoment,
  sha256Hex,
  urlOf,
} from './key-pair.ts';

export interface HuaweiCall {
  readonly method: ProviderRequest['method'];
  readonly host: string;
  /** Holds nothing that must be encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
}

const algorithm = 'SDK-HMAC-SHA256';
const type = 'application/json';

/** The signature of API requests of Huawei Cloud. What is signed has a slash behind the path. */
export function signHuawei(call: HuaweiCall, keys: KeyPair, { now }: SigningMoment): ProviderRequest {
  const { method, host, path, body } = call;
  const query = canonicalQuery(call.query);
  const sent = { 'content-type': type, 'x-sdk-date': basicTime(now) };
  const headers = { ...sent, host };
  const { text, signedHeaders } = canonicalRequest({ method, path: `${path}/`, query, headers, body: body ?? '' });
  const toSign = [algorithm, sent['x-sdk-date'], sha256Hex(text)].join('\n');
  const signature = hmacSha256(keys.secret, toSign).toString('hex');
  const authorization = `${algorithm} Access=${keys.id}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  const content = body === undefined ? {} : { body };
  return { method, url: urlOf(host, path, query), headers: { ...sent, authorization }, ...content };
}
