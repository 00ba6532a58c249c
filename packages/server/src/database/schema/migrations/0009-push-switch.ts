import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** When a push setting was last switched on or off: what was missed while it was off can be sent from then on. */
export const pushSwitch: Migration = {
  id: 9,
  name: 'push-switch',
  async up(db) {
    await db.schema
      .alterTable('push_setting')
      .addColumn('switched_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    // Not known of those that are there: since they were made is too much rather than too little.
    await sql`update push_setting set switched_at = created_at`.execute(db);
  },
};
