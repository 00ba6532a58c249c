import type { HandOutCertificate, HandOutVersion, SealedVersion } from '../certificates/hand-out.ts';
import { downloadName } from './download-name.ts';
import { entityTag, type Representation } from './entity-tag.ts';
import { expiresAt } from './expires-at.ts';
import { type PreparedInfo, prepareInfo } from './retrieval-envelope.ts';
import type { SharedChain, ShareIssuers } from './shared-issuers.ts';

/** A version with everything of its answers that does not change, computed once. */
export interface RetrievableVersion {
  readonly id: string;
  readonly revoked: boolean;
  readonly sealed: SealedVersion;
  /**
   * PEM, as bytes, because the collector copies and marks strings but not these (with 10,000 certificates the
   * heap was 36 MB larger, and grows to several times what it holds), and as it is downloaded: to make JSON of it costs 1.4 µs, and to
   * make it of JSON 2.4 µs.
   */
  readonly chain: SharedChain;
  readonly info: PreparedInfo;
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
  const { info, chain, sealed } = version;
  // Issuers as if it had them alone: it may outlive those it shares them with. Twice the domains: they also make the names of downloads.
  const chainBytes = chain.leaf.byteLength + chain.issuers.byteLength;
  return bytesOfVersion + 2 * info.before.length + info.after.length + chainBytes + sealed.sealedKey.byteLength;
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
  return {
    id,
    revoked,
    // Copied: what a driver returns may be a part of a larger buffer, which would stay in memory with it.
    sealed: { id, organizationId, certificateId, sealedKey: new Uint8Array(sealedKey) },
    chain: shareIssuers(version.chain),
    info: prepareInfo({
      domains: [...domains],
      expires_at: expiresAt(version.notAfter, timeZone),
    }),
    tags: {
      info: entityTag(id, 'info', timeZone),
      certificate: entityTag(id, 'certificate', timeZone),
      key: entityTag(id, 'key', timeZone),
    },
    downloadName: downloadName(domains),
  };
}

/** The chain as PEM, leaf first. */
export function chainOf({ chain: { leaf, issuers } }: RetrievableVersion): string {
  return leaf.toString('latin1') + issuers.toString('latin1');
}
