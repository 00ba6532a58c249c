import type { Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';

/** How far the current version of a certificate has come. */
export interface Rollout {
  /** Deployments that have fetched it, of those that can. */
  readonly current: number;
  /** Deployments that can fetch it. */
  readonly total: number;
}

/** The facts about deployments, which stand above certificates, that certificates need. */
export interface CertificateDeployments {
  /** How many a certificate has, those included that are not enabled. */
  count(db: Db, certificate: Pick<CertificateRow, 'organization_id' | 'id'>): Promise<number>;
  /** By the certificate; those that no deployment can fetch are left out. */
  rollouts(db: Db, certificates: readonly Pick<CertificateRow, 'id'>[]): Promise<ReadonlyMap<string, Rollout>>;
  /** The names of deployments that can fetch it, the oldest first, `limit` at most. */
  names(db: Db, certificate: Pick<CertificateRow, 'id'>, limit: number): Promise<readonly string[]>;
}

export const noRollout: Rollout = { current: 0, total: 0 };
