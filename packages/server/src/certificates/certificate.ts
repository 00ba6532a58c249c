import type { CertificateRow, CertificateVersionRow } from '../database/certificate-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { SealContext } from '../secrets/envelope.ts';

/** A certificate as people and scripts see it. Holds no key. */
export interface Certificate {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly state: CertificateRow['state'];
  readonly source: CertificateRow['source'];
  /** Id of the current version; null while nothing has been issued. */
  readonly version: string | null;
  /** Of the current version: `revoked` when nothing is handed out although the certificate is issued. */
  readonly version_state: CertificateVersionRow['state'] | null;
  /** In a list the first of them alone: see `domainsListed`. */
  readonly domains: readonly string[];
  readonly domain_count: number;
  /** RFC 3339; null while nothing has been issued. */
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A certificate's row beside the facts of its current version that lists show. */
export interface CertificateSummary extends CertificateRow {
  readonly domains: string | null;
  readonly not_after: number | null;
  readonly version_state: CertificateVersionRow['state'] | null;
}

export interface CertificateVersion {
  readonly id: string;
  readonly number: number;
  readonly state: CertificateVersionRow['state'];
  /** Whether this is what a plain request gets, what `?version=` still answers, or history. */
  readonly place: 'current' | 'former' | 'history';
  /** The first of them: see `domainsListed`. */
  readonly domains: readonly string[];
  readonly domain_count: number;
  readonly serial: string;
  readonly fingerprint_sha256: string;
  readonly issuer: string;
  readonly subject: string;
  readonly key_type: string;
  readonly not_before: string;
  readonly expires_at: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** What a sealed private key is bound to: its bytes open in no other row. */
export function privateKeyContext(organizationId: string, certificateId: string, versionId: string): SealContext {
  return { purpose: 'certificate-key', ids: [organizationId, certificateId, versionId] };
}

/**
 * Of how many domains each row of a list tells: of all that public authorities usually put into one. With all names of the
 * largest, three hundred versions were an answer of 76 MB.
 */
export const domainsListed = 100;

/** @param most of the domains that it tells; all when left out */
export function toCertificate(
  row: CertificateRow,
  current: Pick<CertificateSummary, 'domains' | 'not_after' | 'version_state'> | undefined,
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
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

export function toVersion(
  row: Omit<CertificateVersionRow, 'sealed_key' | 'chain'>,
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

/** Those that are covered no more. Goes through either list once: there may be many names. */
export function droppedDomains(former: readonly string[], covered: Iterable<string>): string[] {
  const still = new Set(covered);
  return former.filter((domain) => !still.has(domain));
}

/**
 * Whether a part of a domain is `wanted`, in lower case. Looks at the list as it is stored, in one go: no character of a
 * domain is quoted there. So nothing that no domain holds may be looked for, such as what stands between two of them.
 */
export function someDomainHas(domainsJson: string, wanted: string): boolean {
  return /^[a-z0-9._*:-]+$/.test(wanted) && domainsJson.includes(wanted);
}

export function parseDomains(json: string): string[] {
  return JSON.parse(json) as string[];
}
