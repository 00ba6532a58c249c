import type { CertificateRow, DeploymentActivityRow, DeploymentRow } from '../database/schema/certificate-tables.ts';

/** What decides whether a deployment is outdated. Of its certificate, and of what it fetched last: null where there is none. */
export interface OutdatedFacts
  extends Pick<DeploymentRow, 'enabled' | 'created_at'>,
    Pick<CertificateRow, 'current_version' | 'current_since'> {
  readonly certificate_state: CertificateRow['state'] | null;
  readonly last_version: DeploymentActivityRow['last_version'] | null;
}

/**
 * Since when a deployment could have fetched the current version of its certificate and has not.
 * @returns epoch milliseconds; null when it is not outdated
 */
export function outdatedSince(facts: OutdatedFacts): number | null {
  const { enabled, created_at, certificate_state, current_version, current_since, last_version } = facts;
  if (enabled === 0 || certificate_state !== 'issued') return null;
  if (current_version === null || last_version === current_version) return null;
  return Math.max(current_since ?? 0, created_at);
}
