import type { CertificateDeployments } from '../certificates/certificate-deployments.ts';
import type { Database } from '../database/database.ts';
import { searchBounded } from '../database/sql/bounded-search.ts';
import type { Clock } from '../runtime/clock.ts';
import { countDeployments, listDeployments, type PlacedDeployment } from './deployment-store.ts';
import { canFetch } from './outdated-since.ts';
import { countRollouts } from './rollout.ts';

/** What certificates are told about their deployments. */
export function deploymentsOfCertificates(
  database: Pick<Database, 'lookUp' | 'rowSource'>,
  clock: Pick<Clock, 'now'>,
): CertificateDeployments {
  return {
    async count(db, { organization_id, id }) {
      return (await countDeployments(db, organization_id, [id])).get(id) ?? 0;
    },

    rollouts: (db, certificates) => countRollouts(db, database, certificates, clock.now()),

    async names(db, { id: certificateId }, take) {
      const now = clock.now();
      const { rows } = await searchBounded<PlacedDeployment>({
        read: (last, limit) => listDeployments(db, { certificateId, limit, ...(last && { after: last.id }) }),
        wanted: (row) => canFetch(row, now),
        take,
      });
      return rows.map(({ name }) => name);
    },
  };
}
