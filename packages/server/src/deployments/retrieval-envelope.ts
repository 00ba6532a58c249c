import type { CertificateInfo } from '@waxwing/contract/retrieval-api.ts';

export const jsonContentType = 'application/json; charset=utf-8';
/** Given: nothing after it. */
export const pemContentType = 'application/x-pem-file';

/**
 * The success envelope of one certificate version around the chain, which is held as it is downloaded, and its private
 * key, which stays sealed until a request needs it. What is static is serialized once per version instead of once per
 * request.
 */
export interface PreparedInfo {
  readonly before: string;
  readonly after: string;
}

export function prepareInfo(info: Pick<CertificateInfo, 'domains' | 'expires_at'>): PreparedInfo {
  const domains = JSON.stringify(info.domains);
  return {
    before: `{"status":"success","data":{"certificate_info":{"domains":${domains},"certificate":`,
    after: `,"expires_at":${JSON.stringify(info.expires_at)}}}}`,
  };
}

/**
 * @param certificate PEM, leaf first
 * @param privateKey PEM, in clear: the text returned is for the caller's answer alone
 */
export function successBody({ before, after }: PreparedInfo, certificate: string, privateKey: string): string {
  return `${before}${JSON.stringify(certificate)},"private_key":${JSON.stringify(privateKey)}${after}`;
}
