import type { Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { countDeployments } from './deployment-store.ts';

/** What certificates are told about their deployments, as `CertificateDeployments` there asks for it. */
export const deploymentsOfCertificates = {
  async count(db: Db, { organization_id, id }: Pick<CertificateRow, 'organization_id' | 'id'>): Promise<number> {
    return (await countDeployments(db, organization_id, [id])).get(id) ?? 0;
  },

  async rollouts(
    db: Db,
    certificates: readonly Pick<CertificateRow, 'id' | 'current_version'>[],
  ): Promise<ReadonlyMap<string, { readonly current: number; readonly total: number }>> {
    const ids = certificates.map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const versions = certificates.flatMap(({ current_version }) => current_version ?? []);
    const rows = await db
      .selectFrom('deployment')
      .leftJoin('deployment_activity', (join) =>
        join
          .onRef('deployment_activity.organization_id', '=', 'deployment.organization_id')
          .onRef('deployment_activity.deployment_id', '=', 'deployment.id')
          .on('deployment_activity.last_version', 'in', versions.length === 0 ? [''] : versions),
      )
      .select(({ fn }) => [
        'deployment.certificate_id',
        fn.countAll<number | string | bigint>().as('total'),
        fn.count<number | string | bigint>('deployment_activity.deployment_id').as('current'),
      ])
      .where('deployment.certificate_id', 'in', ids)
      .where('deployment.enabled', '=', 1)
      .groupBy('deployment.certificate_id')
      .execute();
    return new Map(
      rows.map(({ certificate_id, current, total }) => [
        certificate_id,
        { current: Number(current), total: Number(total) },
      ]),
    );
  },

  async enabledNames(db: Db, { id }: Pick<CertificateRow, 'id'>, limit: number): Promise<readonly string[]> {
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
