import type { CertificateRow, CertificateVersionRow } from '../database/certificate-tables.ts';
import type { Db } from '../database/connect.ts';
import { open } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { parseDomains, privateKeyContext } from './certificate.ts';
import { findCurrentVersions, findVersion } from './certificate-store.ts';

/** A certificate as retrieval needs it in memory: its key stays sealed. */
export interface HandOutCertificate {
  readonly id: string;
  readonly organizationId: string;
  readonly state: CertificateRow['state'];
  readonly current: HandOutVersion | undefined;
  /** Id of the version before the current one, which `?version=` may still ask for. */
  readonly formerId: string | undefined;
}

export interface HandOutVersion {
  readonly id: string;
  readonly organizationId: string;
  readonly certificateId: string;
  readonly revoked: boolean;
  readonly domains: readonly string[];
  /** PEM, leaf first. */
  readonly chain: string;
  readonly sealedKey: Uint8Array;
  /** Epoch milliseconds. */
  readonly notAfter: number;
}

/** What opens a version's private key. */
export type SealedVersion = Pick<HandOutVersion, 'id' | 'organizationId' | 'certificateId' | 'sealedKey'>;

/** Reads certificates with their current versions; those that do not exist are left out. */
export async function readHandOutCertificates(db: Db, ids: readonly string[]): Promise<HandOutCertificate[]> {
  const found = await findCurrentVersions(db, ids);
  return found.map(({ certificate, current }) => ({
    id: certificate.id,
    organizationId: certificate.organization_id,
    state: certificate.state,
    current: current === undefined ? undefined : toHandOutVersion(current),
    formerId: certificate.former_version ?? undefined,
  }));
}

/** Reads one version, the former one as a rule. */
export async function readHandOutVersion(
  db: Db,
  certificate: { organizationId: string; id: string },
  versionId: string,
): Promise<HandOutVersion | undefined> {
  const row = await findVersion(db, { organization_id: certificate.organizationId, id: certificate.id }, versionId);
  return row === undefined ? undefined : toHandOutVersion(row);
}

/**
 * The private key of a version in clear, PEM. The caller has decided that it may leave, and has it recorded durably
 * before it does.
 * @throws SealError when the key does not open under any master key held.
 */
export function openPrivateKey(ring: KeyRing, version: SealedVersion): string {
  const { id, organizationId, certificateId, sealedKey } = version;
  const clear = open(ring, privateKeyContext(organizationId, certificateId, id), sealedKey);
  const pem = clear.toString('latin1');
  clear.fill(0);
  return pem;
}

function toHandOutVersion(row: CertificateVersionRow): HandOutVersion {
  return {
    id: row.id,
    organizationId: row.organization_id,
    certificateId: row.certificate_id,
    revoked: row.state === 'revoked',
    domains: parseDomains(row.domains),
    chain: row.chain,
    sealedKey: row.sealed_key,
    notAfter: row.not_after,
  };
}
