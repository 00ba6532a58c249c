import type { Migration } from '../migration.ts';

/** What each node did in the last whole minutes, beside its heartbeat. */
export const nodeFigures: Migration = {
  id: 8,
  name: 'node-figures',
  async up(db) {
    for (const name of ['recent_messages', 'recent_retrievals']) {
      await db.schema
        .alterTable('node')
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
  },
};
