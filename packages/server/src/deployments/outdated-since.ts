import type {
  CertificateRow,
  CertificateVersionRow,
  DeploymentActivityRow,
  DeploymentRow,
} from '../database/schema/certificate-tables.ts';
import { hasPassed } from '../runtime/clock.ts';

/** The columns that decide whether a deployment counts: null where there is no certificate or current version. */
export interface FetchFacts extends Pick<DeploymentRow, 'enabled' | 'permitted' | 'expires_at'> {
  readonly certificate_state: CertificateRow['state'] | null;
  readonly version_state: CertificateVersionRow['state'] | null;
}

/** Whether a deployment can fetch the current version of its certificate. One that cannot counts in no rollout. */
export function canFetch(facts: FetchFacts, now: number): boolean {
  const isAdmitted = facts.enabled === 1 && facts.permitted === 1 && !hasPassed(facts.expires_at, now);
  return isAdmitted && facts.certificate_state === 'issued' && facts.version_state === 'issued';
}

/** With what it fetched last: null where it has fetched nothing. */
export interface OutdatedFacts
  extends FetchFacts,
    Pick<DeploymentRow, 'created_at'>,
    Pick<CertificateRow, 'current_version' | 'current_since'> {
  readonly last_version: DeploymentActivityRow['last_version'] | null;
}

/**
 * Since when a deployment could have fetched the current version of its certificate and has not.
 * @returns epoch milliseconds; null when it is not outdated
 */
export function outdatedSince(facts: OutdatedFacts, now: number): number | null {
  if (!canFetch(facts, now) || facts.last_version === facts.current_version) return null;
  return Math.max(facts.current_since ?? 0, facts.created_at);
}
