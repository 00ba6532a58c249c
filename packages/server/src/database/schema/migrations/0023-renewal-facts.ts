import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Who issued a certificate, which CNAMEs of managed delegation are there, and renewals in the order of their time. */
export const renewalFacts: Migration = {
  id: 23,
  name: 'renewal-facts',
  async up(db) {
    await db.schema.alterTable('certificate_request').addColumn('issued_by', 'text').execute();
    await sql`
      update certificate_request set issued_by = (
        select o.authority_id from acme_order o
        where o.certificate_id = certificate_request.certificate_id and o.version_id is not null
        order by o.id desc limit 1
      )`.execute(db);
    await db.schema.alterTable('acme_order').addColumn('looked_at', 'bigint').execute();
    await db.schema.alterTable('acme_order').addColumn('missing', 'text').execute();
    // Of one organization; those of all organizations are read by certificate_request_due.
    await sql`create index certificate_request_planned on certificate_request (organization_id, next_at, certificate_id)
      where attempts = 0 and next_at is not null`.execute(db);
    await sql`create index certificate_request_failing
      on certificate_request (organization_id, last_error_at, certificate_id) where attempts > 0`.execute(db);
    await sql`create index certificate_request_failing_all on certificate_request (last_error_at, certificate_id)
      where attempts > 0`.execute(db);
  },
};
