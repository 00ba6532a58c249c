import type { KeyObject } from 'node:crypto';
import { type FlattenedJWS, FlattenedSign, type JWK } from 'jose';
import { publicJwk } from './account-key.ts';

/** Who signs: an account, or a key that has none (yet). */
export interface RequestSigner {
  readonly key: KeyObject;
  /** The account. Without it the key itself is sent (RFC 8555 §6.2). */
  readonly url?: string;
}

/** A request as RFC 8555 §6.2 signs it. @param payload undefined for POST-as-GET (§6.3) */
export function signedRequest(
  signer: RequestSigner,
  target: { readonly url: string; readonly nonce: string },
  payload: object | undefined,
): Promise<FlattenedJWS> {
  const by = signer.url === undefined ? { jwk: publicJwk(signer.key) } : { kid: signer.url };
  return sign({ alg: algorithmOf(signer.key), ...by, ...target }, payload, signer.key);
}

/** What binds a new account to one that the authority has given its customer (RFC 8555 §7.3.4). */
export function externalAccountBinding(
  key: KeyObject,
  url: string,
  externalAccount: { readonly kid: string; readonly hmacKey: Uint8Array },
): Promise<FlattenedJWS> {
  return sign({ alg: 'HS256', kid: externalAccount.kid, url }, publicJwk(key), externalAccount.hmacKey);
}

/** The inner request of a key change, by which the new key agrees (RFC 8555 §7.3.5). */
export function keyChange(
  account: { readonly url: string; readonly key: KeyObject },
  newKey: KeyObject,
  url: string,
): Promise<FlattenedJWS> {
  const payload = { account: account.url, oldKey: publicJwk(account.key) };
  return sign({ alg: algorithmOf(newKey), jwk: publicJwk(newKey), url }, payload, newKey);
}

function sign(
  header: { readonly alg: string; readonly url: string; readonly jwk?: JWK; readonly kid?: string },
  payload: object | undefined,
  key: KeyObject | Uint8Array,
): Promise<FlattenedJWS> {
  const bytes = Buffer.from(payload === undefined ? '' : JSON.stringify(payload));
  return new FlattenedSign(bytes).setProtectedHeader({ ...header }).sign(key);
}

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  return key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : 'ES256';
}
