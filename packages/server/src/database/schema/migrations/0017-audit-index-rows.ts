import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** What entries of the audit trail are found by, as one row for each term of a link. The server makes it anew in portions. */
export const auditIndexRows: Migration = {
  id: 17,
  name: 'audit-index-rows',
  async up(db, dialect) {
    await db.schema.dropTable('audit_index_page').execute();
    await db.schema.dropTable('audit_index_run').execute();
    await db.schema
      .createTable('audit_index')
      .addColumn('term', 'text', (column) => column.notNull())
      .addColumn('link', 'bigint', (column) => column.notNull())
      .addColumn('positions', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_index_key', ['term', 'link'])
      // Rows are found by their key alone: a number of its own for each row would be a second tree to write to.
      .$call((table) => (dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
      .execute();
    await db.schema.alterTable('audit_index_state').dropColumn('last_run').execute();
    await sql`update audit_index_state set link = 0`.execute(db);
  },
};
