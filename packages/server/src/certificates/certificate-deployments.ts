import type { Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';

/** How far the current version of a certificate has come. */
export interface Rollout {
  /** Enabled deployments that have fetched it. */
  readonly current: number;
  /** Enabled deployments. */
  readonly total: number;
}

/** The facts about deployments, which stand above certificates, that certificates need. */
export interface CertificateDeployments {
  /** How many a certificate has, those included that are not enabled. */
  count(db: Db, certificate: Pick<CertificateRow, 'organization_id' | 'id'>): Promise<number>;
  /** By the certificate; those without an enabled deployment are left out. */
  rollouts(
    db: Db,
    certificates: readonly Pick<CertificateRow, 'organization_id' | 'id' | 'current_version'>[],
  ): Promise<ReadonlyMap<string, Rollout>>;
  /** The names of its enabled deployments, the oldest first, `limit` at most. */
  enabledNames(db: Db, certificate: Pick<CertificateRow, 'id'>, limit: number): Promise<readonly string[]>;
}

export const noRollout: Rollout = { current: 0, total: 0 };
