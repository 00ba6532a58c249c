import type { Database, Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { countDeployments } from './deployment-store.ts';
import { countRollouts } from './rollout.ts';

type Certificate = Pick<CertificateRow, 'organization_id' | 'id' | 'current_version'>;

/** What certificates are told about their deployments, as `CertificateDeployments` there asks for it. */
export function deploymentsOfCertificates(database: Pick<Database, 'lookUp'>) {
  return {
    async count(db: Db, { organization_id, id }: Pick<Certificate, 'organization_id' | 'id'>): Promise<number> {
      return (await countDeployments(db, organization_id, [id])).get(id) ?? 0;
    },

    rollouts: (db: Db, certificates: readonly Certificate[]) => countRollouts(db, database, certificates),

    async enabledNames(db: Db, { id }: Pick<Certificate, 'id'>, limit: number): Promise<readonly string[]> {
      const rows = await db
        .selectFrom('deployment')
        .select('name')
        .where('certificate_id', '=', id)
        .where('enabled', '=', 1)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ name }) => name);
    },
  };
}
