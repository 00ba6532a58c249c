import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** A term is once in the index for each link, however many entries of the link concern it. */
export const auditIndexByLink: Migration = {
  id: 10,
  name: 'audit-index-by-link',
  async up(db, dialect) {
    await db.schema
      .createTable('audit_index_by_link')
      .addColumn('term', 'text', (column) => column.notNull())
      .addColumn('link', 'bigint', (column) => column.notNull())
      .addColumn('positions', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_index_by_link_key', ['term', 'link'])
      // Its key is all there is to find it by: a number of its own for each row would be a second tree to write to.
      .$call((table) => (dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
      .execute();
    await sql`
      insert into audit_index_by_link (term, link, positions)
      select term, link, string_agg(cast(position as text), ',') from audit_index
      group by term, link order by term, link`.execute(db);
    await db.schema.dropTable('audit_index').execute();
    await db.schema.alterTable('audit_index_by_link').renameTo('audit_index').execute();
  },
};
