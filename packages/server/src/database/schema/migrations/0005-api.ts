import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The management API: answers of creations by their Idempotency-Key; whose each noted change is, for event streams. */
export const api: Migration = {
  id: 5,
  name: 'api',
  async up(db, dialect) {
    await db.schema
      .createTable('api_answer')
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('begun_at', 'bigint', (column) => column.notNull())
      .addColumn('sealed', dialect === 'sqlite' ? sql`blob` : sql`bytea`)
      .addPrimaryKeyConstraint('api_answer_key', ['actor', 'key_hash'])
      .execute();
    await db.schema.createIndex('api_answer_begun').on('api_answer').column('begun_at').execute();
    await db.schema.alterTable('change_log').addColumn('organization_id', 'text').execute();
  },
};
