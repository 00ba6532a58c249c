import { hash } from 'node:crypto';
import { createRetrievalCache } from './retrieval-cache.ts';

/** A certificate chain in PEM, in two parts. As bytes of their own: the collector copies and marks strings but not these. */
export interface SharedChain {
  readonly leaf: Buffer;
  /** What stands behind the leaf: the same bytes for all chains that end alike. */
  readonly issuers: Buffer;
}

/** @param pem leaf first */
export type ShareIssuers = (pem: string) => SharedChain;

const endOfCertificate = '-----END CERTIFICATE-----\n';

/**
 * Most certificates of an instance are of a few issuers, whose certificates are half of each chain. (Measured with 10,000
 * certificates of one issuer: 66 to 71 MiB outside the heap after the retrieval benchmark's loads instead of 88 to 92.)
 * Those that were not used for longest are shared no longer with what comes.
 */
export function createSharedIssuers(maxIssuers = 1_000, maxBytes = 8 * 2 ** 20): ShareIssuers {
  const known = createRetrievalCache<Buffer>(maxIssuers, maxBytes);

  function oneOf(issuers: string): Buffer {
    const key = hash('sha256', issuers, 'base64url');
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const bytes = ownBytes(issuers);
    known.put(key, bytes, bytes.byteLength);
    return bytes;
  }

  return (pem) => {
    const end = pem.indexOf(endOfCertificate);
    const leafEnd = end === -1 ? pem.length : end + endOfCertificate.length;
    return { leaf: ownBytes(pem.slice(0, leafEnd)), issuers: oneOf(pem.slice(leafEnd)) };
  };
}

/** PEM is ASCII (RFC 7468). In memory of its own: what `Buffer.from` gives is a part of a larger buffer. */
function ownBytes(pem: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pem.length);
  bytes.write(pem, 'latin1');
  return bytes;
}
