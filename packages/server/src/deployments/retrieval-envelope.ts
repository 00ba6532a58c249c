import type { CertificateInfo } from '@waxwing/contract/retrieval-api.ts';

export const jsonContentType = 'application/json; charset=utf-8';
/** Given: nothing after it. */
export const pemContentType = 'application/x-pem-file';

/**
 * The success envelope in three parts, so that what many answers share is there once, and the private key stays sealed until a
 * request needs it: the head ends within the chain, behind the leaf; the tail begins with the key.
 */
export function envelopeHead(domains: CertificateInfo['domains'], leaf: string): string {
  const opening = `{"status":"success","data":{"certificate_info":{"domains":${JSON.stringify(domains)},"certificate":`;
  return opening + JSON.stringify(leaf).slice(0, -1);
}

/** @param issuers of the chain, behind the leaf */
export function envelopeMiddle(issuers: string): string {
  return JSON.stringify(issuers).slice(1);
}

/** @param privateKey PEM, in clear: the text returned is for the caller's answer alone */
export function envelopeTail(privateKey: string, expiresAt: string): string {
  return `,"private_key":${JSON.stringify(privateKey)},"expires_at":${JSON.stringify(expiresAt)}}}}`;
}
