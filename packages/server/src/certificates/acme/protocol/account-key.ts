import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { generateKey } from '@waxwing/pki/generate-key.ts';
import { calculateJwkThumbprint, type JWK } from 'jose';

export const accountKeyKinds = ['ec256', 'ec384', 'rsa2048'] as const;
export type AccountKeyKind = (typeof accountKeyKinds)[number];

export function generateAccountKey(kind: AccountKeyKind): Promise<KeyObject> {
  return generateKey(kind);
}

/** PKCS#8 in DER, to be sealed. */
export function exportAccountKey(key: KeyObject): Buffer {
  return key.export({ type: 'pkcs8', format: 'der' });
}

export function importAccountKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
}

/** The public half, as requests carry it. */
export function publicJwk(key: KeyObject): JWK {
  return createPublicKey(key).export({ format: 'jwk' }) as JWK;
}

/** What proves a name, together with where it stands (RFC 8555 §8.1). HTTP-01 answers with it as it is. */
export async function keyAuthorization(key: KeyObject, token: string): Promise<string> {
  return `${token}.${await calculateJwkThumbprint(publicJwk(key))}`;
}

/** For the certificate of TLS-ALPN-01 (RFC 8737 §3). */
export function authorizationDigest(authorization: string): Buffer {
  return createHash('sha256').update(authorization).digest();
}

/** The value of the TXT record of DNS-01 (RFC 8555 §8.4). */
export function dnsProofValue(authorization: string): string {
  return authorizationDigest(authorization).toString('base64url');
}
