import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The carriers that an operator sets up, and why a message goes to one of them. */
export const carriers: Migration = {
  id: 23,
  name: 'carriers',
  async up(db, dialect) {
    const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`;
    await db.schema
      .createTable('carrier')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('protocol', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('account', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull())
      .addColumn('weight', 'integer', (column) => column.notNull())
      .addColumn('conditions', 'text', (column) => column.notNull())
      .addColumn('options', 'text', (column) => column.notNull())
      .addColumn('sealed_password', blob)
      .addColumn('sealed_tls_key', blob)
      .addColumn('key_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    // The name of a deleted carrier is free again.
    await sql`create unique index carrier_name on carrier (name) where deleted_at is null`.execute(db);
    await db.schema.alterTable('message').addColumn('carrier_reason', 'text').execute();
  },
};
