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

export interface AwsCall {
  readonly method: 'GET' | 'POST';
  readonly host: string;
  readonly region: string;
  readonly service: string;
  /** Holds nothing that must be encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** Signature Version 4 of AWS. */
export function signAws(call: AwsCall, keys: KeyPair, { now }: SigningMoment): ProviderRequest {
  const { method, host, region, service, path, body } = call;
  const query = canonicalQuery(call.query);
  const time = basicTime(now);
  const date = time.slice(0, 8);
  const headers = { host, 'x-amz-date': time };
  const { text, signedHeaders } = canonicalRequest({ method, path, query, headers, body: body ?? '' });
  const scope = `${date}/${region}/${service}/aws4_request`;
  const serviceKey = hmacSha256(hmacSha256(hmacSha256(`AWS4${keys.secret}`, date), region), service);
  const toSign = [algorithm, time, scope, sha256Hex(text)].join('\n');
  const signature = hmacSha256(hmacSha256(serviceKey, 'aws4_request'), toSign).toString('hex');
  const authorization = `${algorithm} Credential=${keys.id}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  const content = body === undefined ? {} : { body };
  return { method, url: urlOf(host, path, query), headers: { 'x-amz-date': time, authorization }, ...content };
}
