import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';
import type { HandOutCertificate, HandOutVersion, SealedVersion } from '../certificates/hand-out.ts';
import { contentDisposition, downloadName } from './download-name.ts';
import { entityTag, type Representation } from './entity-tag.ts';
import { expiresAt } from './expires-at.ts';
import { type PreparedInfo, prepareInfo } from './retrieval-envelope.ts';

/** A version with everything of its answers that does not change, computed once. */
export interface RetrievableVersion {
  readonly id: string;
  readonly revoked: boolean;
  readonly sealed: SealedVersion;
  readonly info: PreparedInfo;
  readonly tags: Readonly<Record<Representation, string>>;
  readonly dispositions: Readonly<Record<DownloadType, string>>;
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

/** About what a version takes besides its texts and its key: objects, ids, tags, file names (measured: 1.6 KiB). */
const bytesOfVersion = 1_700;
const bytesOfCertificate = 300;

/** About what it takes in memory, the former version included once it was read. */
export function bytesOf({ current, former }: RetrievableCertificate): number {
  return bytesOfCertificate + versionBytes(current) + versionBytes(former);
}

function versionBytes(version: RetrievableVersion | undefined): number {
  if (version === undefined) return 0;
  const { before, certificate, after } = version.info;
  // Twice the domains: they also make the names of downloads.
  return bytesOfVersion + 2 * before.length + certificate.length + after.length + version.sealed.sealedKey.byteLength;
}

export function toRetrievable(certificate: HandOutCertificate, timeZone: string): RetrievableCertificate {
  return {
    id: certificate.id,
    organizationId: certificate.organizationId,
    issued: certificate.state === 'issued',
    current: certificate.current === undefined ? undefined : toRetrievableVersion(certificate.current, timeZone),
    formerId: certificate.formerId,
    former: undefined,
  };
}

export function toRetrievableVersion(version: HandOutVersion, timeZone: string): RetrievableVersion {
  const { id, revoked, domains, organizationId, certificateId, sealedKey } = version;
  return {
    id,
    revoked,
    // Copied: what a driver returns may be a part of a larger buffer, which would stay in memory with it.
    sealed: { id, organizationId, certificateId, sealedKey: new Uint8Array(sealedKey) },
    info: prepareInfo({
      domains: [...domains],
      certificate: version.chain,
      expires_at: expiresAt(version.notAfter, timeZone),
    }),
    tags: {
      info: entityTag(id, 'info', timeZone),
      certificate: entityTag(id, 'certificate', timeZone),
      key: entityTag(id, 'key', timeZone),
    },
    dispositions: {
      certificate: contentDisposition(downloadName(domains, 'certificate')),
      key: contentDisposition(downloadName(domains, 'key')),
    },
  };
}
