import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { SealContext } from '../secrets/envelope.ts';
import type { Rollout } from './certificate-deployments.ts';
import { readRemarks } from './chain/remarks.ts';
import type { ListedIssuance } from './issuing.ts';

/** A certificate as people and scripts see it, without its key. */
export type Certificate = Shown<contract.Certificate>;
export type CertificateVersion = Shown<contract.CertificateVersion>;

/** A certificate's row with the facts of its current version that lists show. */
export interface CertificateSummary extends CertificateRow {
  readonly domains: string | null;
  readonly not_after: number | null;
  readonly version_state: CertificateVersionRow['state'] | null;
  readonly remarks: string | null;
}

/** The seal context of a private key: its bytes open in no other row. */
export function privateKeyContext(organizationId: string, certificateId: string, versionId: string): SealContext {
  return { purpose: 'certificate-key', ids: [organizationId, certificateId, versionId] };
}

/** How many domains each row of a list shows. All of them would make answers of many megabytes. */
export const domainsListed = 100;

/** @param most domains to show; all if absent */
export function toCertificate(
  row: CertificateRow,
  current: Pick<CertificateSummary, 'domains' | 'not_after' | 'version_state' | 'remarks'> | undefined,
  { current: reached, total }: Rollout,
  { authority, renewal }: ListedIssuance,
  most?: number,
): Certificate {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    state: row.state,
    source: row.source,
    version: row.current_version,
    version_state: current?.version_state ?? null,
    ...firstDomains(current?.domains ?? '[]', most),
    expires_at: current?.not_after == null ? null : toRfc3339(current.not_after),
    warnings: readRemarks(current?.remarks ?? null),
    rollout: { current: reached, total },
    ...{ authority, renewal },
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

export function toVersion(
  row: Omit<CertificateVersionRow, 'sealed_key' | 'chain' | 'given_root' | 'remarks'>,
  certificate: CertificateRow,
): CertificateVersion {
  return {
    id: row.id,
    number: row.number,
    state: row.state,
    place: placeOf(row.id, certificate),
    ...firstDomains(row.domains, domainsListed),
    serial: row.serial,
    fingerprint_sha256: row.fingerprint,
    issuer: row.issuer,
    subject: row.subject,
    key_type: row.key_type,
    not_before: toRfc3339(row.not_before),
    expires_at: toRfc3339(row.not_after),
    created_at: toRfc3339(row.created_at),
    revoked_at: row.revoked_at === null ? null : toRfc3339(row.revoked_at),
  };
}

function placeOf(versionId: string, certificate: CertificateRow): CertificateVersion['place'] {
  if (versionId === certificate.current_version) return 'current';
  return versionId === certificate.former_version ? 'former' : 'history';
}

function firstDomains(domainsJson: string, most?: number): { domains: string[]; domain_count: number } {
  const domains = parseDomains(domainsJson);
  return { domains: domains.slice(0, most), domain_count: domains.length };
}

/** Domains that are no longer covered. Goes through each list once, because there may be many names. */
export function droppedDomains(former: readonly string[], covered: Iterable<string>): string[] {
  const still = new Set(covered);
  return former.filter((domain) => !still.has(domain));
}

/** `wanted`, in lower case, must not match the text between two domains: the stored JSON is searched as one text. */
export function someDomainHas(domainsJson: string, wanted: string): boolean {
  return /^[a-z0-9._*:-]+$/.test(wanted) && domainsJson.includes(wanted);
}

export function parseDomains(json: string): string[] {
  return JSON.parse(json) as string[];
}
