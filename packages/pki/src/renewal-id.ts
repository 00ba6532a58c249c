import type { X509 } from './x509.ts';

/**
 * What names a certificate to ARI (RFC 9773 §4.1): the key that signed it, and its serial number as DER has it, with a
 * leading zero where the high bit is set. Undefined for a certificate that does not say which key signed it.
 */
export function renewalId({ issuerKeyId, serial }: Pick<X509, 'issuerKeyId' | 'serial'>): string | undefined {
  if (issuerKeyId === undefined) return undefined;
  const octets = Number.parseInt(serial.slice(0, 2), 16) >= 0x80 ? `00${serial}` : serial;
  return `${base64url(issuerKeyId)}.${base64url(octets)}`;
}

const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
