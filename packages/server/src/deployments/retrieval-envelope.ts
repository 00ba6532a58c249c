import type { CertificateInfo } from '@waxwing/contract/retrieval-api.ts';

export const jsonContentType = 'application/json; charset=utf-8';
/** Given: nothing after it. */
export const pemContentType = 'application/x-pem-file';

/**
 * The success envelope of one certificate version, all but its private key, which stays sealed until a request needs
 * it. What is static is serialized once per version instead of once per request.
 */
export interface PreparedInfo {
  readonly before: string;
  /** The chain as JSON text, the one form in which it is held: most answers carry it so, and it is the larger part. */
  readonly certificate: string;
  readonly after: string;
}

export function prepareInfo(info: Omit<CertificateInfo, 'private_key'>): PreparedInfo {
  const domains = JSON.stringify(info.domains);
  return {
    before: `{"status":"success","data":{"certificate_info":{"domains":${domains},"certificate":`,
    certificate: JSON.stringify(info.certificate),
    after: `,"expires_at":${JSON.stringify(info.expires_at)}}}}`,
  };
}

/** @param privateKey PEM, in clear: the text returned is for the caller's answer alone */
export function successBody({ before, certificate, after }: PreparedInfo, privateKey: string): string {
  return `${before}${certificate},"private_key":${JSON.stringify(privateKey)}${after}`;
}

/** The chain as PEM. */
export function certificateOf({ certificate }: PreparedInfo): string {
  return JSON.parse(certificate) as string;
}
