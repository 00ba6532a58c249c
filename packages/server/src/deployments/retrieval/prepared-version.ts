import type { HandOutCertificate, HandOutVersion, SealedVersion } from '../../certificates/hand-out.ts';
import { expiresAt } from '../expires-at.ts';
import { downloadName } from './download-name.ts';
import { entityTag, type Representation } from './entity-tag.ts';
import { envelopeHead } from './retrieval-envelope.ts';

/** A version with everything of its answers that does not change, computed once. */
export interface RetrievableVersion {
  readonly id: string;
  readonly revoked: boolean;
  readonly sealed: SealedVersion;
  /** The JSON answer from its beginning to the end of the chain. As bytes, which the collector neither copies nor marks. */
  readonly head: Buffer;
  /** Of `head`. ASCII, as nearly all answers are, needs no decoding. */
  readonly headEncoding: 'latin1' | 'utf8';
  /** Where the chain begins in it, with its quotation mark. */
  readonly chainAt: number;
  readonly expiresAt: string;
  readonly tags: Readonly<Record<Representation, string>>;
  /** File name of its downloads, without the extension. */
  readonly downloadName: string;
}

export interface RetrievableCertificate {
  readonly id: string;
  readonly issued: boolean;
  readonly current: RetrievableVersion | undefined;
  readonly formerId: string | undefined;
  /** Where a request asks for it. */
  readonly former: RetrievableVersion | undefined;
}

/** About what a certificate takes besides bytes and file name: objects, ids, tags. */
const bytesOfObjects = 2_000;

/** About what it takes in memory. */
export function bytesOf(version: RetrievableVersion | undefined): number {
  if (version === undefined) return bytesOfObjects;
  const { head, sealed, downloadName } = version;
  return bytesOfObjects + head.byteLength + downloadName.length + sealed.sealedKey.byteLength;
}

export function toRetrievable(certificate: HandOutCertificate, timeZone: string): RetrievableCertificate {
  const { id, state, current, formerId } = certificate;
  return {
    id,
    issued: state === 'issued',
    current: current && toRetrievableVersion(current, timeZone),
    formerId,
    former: undefined,
  };
}

export function toRetrievableVersion(version: HandOutVersion, timeZone: string): RetrievableVersion {
  const { id, revoked, domains, chain, organizationId, certificateId, sealedKey } = version;
  const text = envelopeHead([...domains], chain);
  const head = ownBytes(Buffer.from(text));
  return {
    id,
    revoked,
    sealed: { id, organizationId, certificateId, sealedKey: ownBytes(sealedKey) },
    head,
    headEncoding: head.length === text.length ? 'latin1' : 'utf8',
    chainAt: head.length + 1 - Buffer.byteLength(JSON.stringify(chain)),
    expiresAt: expiresAt(version.notAfter, timeZone),
    tags: {
      info: entityTag(id, 'info', timeZone),
      certificate: entityTag(id, 'certificate', timeZone),
      key: entityTag(id, 'key', timeZone),
    },
    downloadName: downloadName(domains),
  };
}

/** The chain as PEM, leaf first. */
export function chainOf({ head, headEncoding, chainAt }: RetrievableVersion): string {
  return JSON.parse(`${head.toString(headEncoding, chainAt)}"`);
}

/** A driver's bytes and those of `Buffer.from` may be a part of a larger buffer, which would stay in memory with them. */
function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
