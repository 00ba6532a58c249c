import { hash } from 'node:crypto';
import { ownBytes, ownText } from './own-memory.ts';
import { createRetrievalCache } from './retrieval-cache.ts';
import { envelopeMiddle } from './retrieval-envelope.ts';

/** What stands behind the leaf of a chain: the same object for all chains that end alike. */
export interface Issuers {
  /** PEM. */
  readonly text: string;
  /** As it stands in the JSON answer, in UTF-8. */
  readonly json: Buffer;
  /** Of `json`: ASCII, as PEM alone is, needs no decoding. */
  readonly encoding: 'latin1' | 'utf8';
}

/** A certificate chain in PEM, in two parts. */
export interface SharedChain {
  readonly leaf: string;
  readonly issuers: Issuers;
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
  const known = createRetrievalCache<Issuers>(maxIssuers, maxBytes);

  function oneOf(text: string): Issuers {
    const key = hash('sha256', text, 'base64url');
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    // Of its own: what is cut out of another text keeps that in memory, and a small buffer the 64 KiB that it is a part of.
    const inAnswer = envelopeMiddle(text);
    const json = ownBytes(Buffer.from(inAnswer));
    const encoding = json.byteLength === inAnswer.length ? 'latin1' : 'utf8';
    const issuers: Issuers = { text: ownText(text), json, encoding };
    known.put(key, issuers, bytesOfIssuers(issuers));
    return issuers;
  }

  return (pem) => {
    const end = pem.indexOf(endOfCertificate);
    const leafEnd = end === -1 ? pem.length : end + endOfCertificate.length;
    return { leaf: pem.slice(0, leafEnd), issuers: oneOf(pem.slice(leafEnd)) };
  };
}

export function bytesOfIssuers({ text, json }: Issuers): number {
  return text.length + json.byteLength;
}
