import type { HandOutCertificate, HandOutVersion, SealedVersion } from '../certificates/hand-out.ts';
import { downloadName } from './download-name.ts';
import { entityTag, type Representation } from './entity-tag.ts';
import { expiresAt } from './expires-at.ts';
import { ownBytes, ownText } from './own-memory.ts';
import { envelopeHead } from './retrieval-envelope.ts';
import { bytesOfIssuers, type Issuers, type ShareIssuers } from './shared-issuers.ts';

/** A version with everything of its answers that does not change, computed once. */
export interface RetrievableVersion {
  readonly id: string;
  readonly revoked: boolean;
  readonly sealed: SealedVersion;
  /**
   * The JSON answer from its beginning to the end of the leaf certificate. As bytes, because the collector copies and marks strings
   * but not these (with 10,000 certificates the heap was 36 MB larger, and grows to several times what it holds), and as JSON:
   * to make it so for each answer takes 1.2 µs, to make PEM of it for each download 0.4 µs more than to copy it.
   */
  readonly head: Buffer;
  readonly headEncoding: 'latin1' | 'utf8';
  /** Where the leaf begins in it, with its quotation mark. */
  readonly leafAt: number;
  readonly issuers: Issuers;
  readonly expiresAt: string;
  readonly tags: Readonly<Record<Representation, string>>;
  /** File name of its downloads, without the extension. */
  readonly downloadName: string;
}

export interface RetrievableCertificate {
  readonly id: string;
  readonly organizationId: string;
  readonly issued: boolean;
  readonly current: RetrievableVersion | undefined;
  readonly formerId: string | undefined;
  /** Read when the first request asks for it. */
  former: RetrievableVersion | undefined;
}

/** About what a version takes besides its texts and its key: objects, ids, tags, file name (measured: 1.2 KiB of the heap). */
const bytesOfVersion = 1_200;
const bytesOfCertificate = 300;

/** About what it takes in memory, the former version included once it was read. */
export function bytesOf({ current, former }: RetrievableCertificate): number {
  return bytesOfCertificate + versionBytes(current) + versionBytes(former);
}

function versionBytes(version: RetrievableVersion | undefined): number {
  if (version === undefined) return 0;
  const { head, issuers, sealed, downloadName } = version;
  // Issuers as if it had them alone: it may outlive those it shares them with.
  return bytesOfVersion + head.byteLength + downloadName.length + bytesOfIssuers(issuers) + sealed.sealedKey.byteLength;
}

/** What all versions of an instance are made with. */
export interface VersionMaking {
  readonly timeZone: string;
  readonly shareIssuers: ShareIssuers;
}

export function toRetrievable(certificate: HandOutCertificate, making: VersionMaking): RetrievableCertificate {
  return {
    id: certificate.id,
    organizationId: certificate.organizationId,
    issued: certificate.state === 'issued',
    current: certificate.current === undefined ? undefined : toRetrievableVersion(certificate.current, making),
    formerId: certificate.formerId,
    former: undefined,
  };
}

export function toRetrievableVersion(
  version: HandOutVersion,
  { timeZone, shareIssuers }: VersionMaking,
): RetrievableVersion {
  const { id, revoked, domains, organizationId, certificateId, sealedKey } = version;
  const { leaf, issuers } = shareIssuers(version.chain);
  const text = envelopeHead([...domains], leaf);
  const head = ownBytes(Buffer.from(text));
  return {
    id,
    revoked,
    sealed: { id, organizationId, certificateId, sealedKey: ownBytes(sealedKey) },
    head,
    headEncoding: head.length === text.length ? 'latin1' : 'utf8',
    leafAt: head.length + 1 - Buffer.byteLength(JSON.stringify(leaf)),
    issuers,
    expiresAt: expiresAt(version.notAfter, timeZone),
    tags: {
      info: ownText(entityTag(id, 'info', timeZone)),
      certificate: ownText(entityTag(id, 'certificate', timeZone)),
      key: ownText(entityTag(id, 'key', timeZone)),
    },
    downloadName: ownText(downloadName(domains)),
  };
}

/** The chain as PEM, leaf first. */
export function chainOf({ head, headEncoding, leafAt, issuers }: RetrievableVersion): string {
  return JSON.parse(`${head.toString(headEncoding, leafAt)}"`) + issuers.text;
}

/** What the JSON answer begins with, up to its tail. */
export function answerUpToKey({ head, headEncoding, issuers }: RetrievableVersion): string {
  return head.toString(headEncoding) + issuers.json.toString(issuers.encoding);
}
