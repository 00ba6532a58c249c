import type { CertificateInfo } from '@waxwing/contract/retrieval-api.ts';

export const jsonContentType = 'application/json; charset=utf-8';
/** Given: nothing after it. */
export const pemContentType = 'application/x-pem-file';

/**
 * The success envelope in two parts, so that the private key stays sealed until a request needs it. The head ends within
 * the chain's text, before its closing quotation mark.
 * @param chain PEM, leaf first
 */
export function envelopeHead(domains: CertificateInfo['domains'], chain: string): string {
  const opening = `{"status":"success","data":{"certificate_info":{"domains":${JSON.stringify(domains)},"certificate":`;
  return opening + JSON.stringify(chain).slice(0, -1);
}

/** @param privateKey PEM, in clear: the text returned is for the caller's answer alone */
export function envelopeTail(privateKey: string, expiresAt: string): string {
  return `","private_key":${JSON.stringify(privateKey)},"expires_at":${JSON.stringify(expiresAt)}}}}`;
}
