import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** When a version became the current one, and when each deployment began to fetch the version that it fetches. */
export const currentSince: Migration = {
  id: 20,
  name: 'current-since',
  async up(db) {
    await db.schema.alterTable('certificate').addColumn('current_since', 'bigint').execute();
    // Until now a version became current when it was made, and not again later.
    await sql`
      update certificate set current_since = (
        select v.created_at from certificate_version v
        where v.organization_id = certificate.organization_id and v.certificate_id = certificate.id
          and v.id = certificate.current_version
      )`.execute(db);
    // Not known of those that are there.
    await db.schema
      .alterTable('deployment_activity')
      .addColumn('version_since', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
