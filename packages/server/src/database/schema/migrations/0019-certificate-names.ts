import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * An import finds the certificates that have its names already. A version keeps what was remarked about its chain, and the root
 * that was given with it.
 */
export const certificateNames: Migration = {
  id: 19,
  name: 'certificate-names',
  async up(db, dialect) {
    await sql`alter table certificate_version add column remarks text`.execute(db);
    await sql`alter table certificate_version add column given_root text`.execute(db);
    await db.schema
      .createTable('certificate_name')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('certificate_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('certificate_name_key', ['organization_id', 'name', 'certificate_id'])
      .execute();
    const domains =
      dialect === 'sqlite'
        ? sql`json_each(v.domains) as domain`
        : sql`json_array_elements_text(cast(v.domains as json)) as domain (value)`;
    await sql`insert into certificate_name (organization_id, name, certificate_id)
      select distinct c.organization_id, domain.value, c.id
      from certificate c join certificate_version v
        on v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version
      cross join ${domains}
      where c.state = 'issued'`.execute(db);
    await db.schema
      .createIndex('certificate_name_certificate')
      .on('certificate_name')
      .column('certificate_id')
      .execute();
  },
};
