import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Whom the entries of the audit trail concern, as sorted runs of packed pages; made anew in the background. */
export const auditIndexRuns: Migration = {
  id: 11,
  name: 'audit-index-runs',
  async up(db, dialect) {
    await db.schema.dropTable('audit_index').execute();
    await db.schema
      .createTable('audit_index_run')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('level', 'integer', (column) => column.notNull())
      .addColumn('first_link', 'bigint', (column) => column.notNull())
      .addColumn('last_link', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('pages', 'integer', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_index_run_links').on('audit_index_run').columns(['first_link']).execute();
    // Not `without rowid`: a row of that kind moves to overflow pages from a quarter of a page on.
    await db.schema
      .createTable('audit_index_page')
      .addColumn('run', 'bigint', (column) => column.notNull().references('audit_index_run.id'))
      .addColumn('hash', 'bigint', (column) => column.notNull())
      .addColumn('link', 'bigint', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('records', dialect === 'postgres' ? 'bytea' : 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_index_page_key', ['run', 'hash', 'link', 'position'])
      .execute();
    if (dialect === 'postgres') {
      // Hashes do not get smaller, and two pages fit one of PostgreSQL's: no compression, no table aside.
      await sql`alter table audit_index_page alter column records set storage plain`.execute(db);
    }
    await db.schema
      .alterTable('audit_index_state')
      .addColumn('last_run', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update audit_index_state set link = 0`.execute(db);
  },
};
