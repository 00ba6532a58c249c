import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The query of a push URL may hold a customer's secret. What is there in clear is sealed by the server, which has the keys. */
export const sealedPushQueries: Migration = {
  id: 13,
  name: 'sealed-push-queries',
  async up(db, dialect) {
    await db.schema
      .alterTable('push_setting')
      .addColumn('sealed_query', dialect === 'sqlite' ? sql`blob` : sql`bytea`)
      .execute();
    await db.schema.alterTable('push_setting').addColumn('query_key_id', 'text').execute();
    await db.schema.createIndex('push_setting_query_key').on('push_setting').column('query_key_id').execute();
  },
};
