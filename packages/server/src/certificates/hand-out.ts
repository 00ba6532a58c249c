import type { Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { open } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { parseDomains, privateKeyContext } from './certificate.ts';
import { findCurrentVersions, findVersions } from './certificate-store.ts';

/** A certificate as retrieval keeps it in memory, its key sealed. */
export interface HandOutCertificate {
  readonly id: string;
  readonly organizationId: string;
  readonly state: CertificateRow['state'];
  readonly current: HandOutVersion | undefined;
  /** Id of the previous version, which `?version=` may still request. */
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

/** The fields that open a version's private key. */
export type SealedVersion = Pick<HandOutVersion, 'id' | 'organizationId' | 'certificateId' | 'sealedKey'>;

/** With their current versions. Omits certificates that do not exist. */
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

/** Reads versions, former ones as a rule; those that do not exist are left out. */
export async function readHandOutVersions(db: Db, ids: readonly string[]): Promise<HandOutVersion[]> {
  return (await findVersions(db, ids)).map(toHandOutVersion);
}

/** The private key in clear, PEM. The caller has access and records the hand-out first. @throws SealError */
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
