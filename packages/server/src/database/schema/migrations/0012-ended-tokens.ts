import type { Migration } from '../migration.ts';

/** Tokens that were taken away at once, which have ended whatever time a server's clock says it is. */
export const endedTokens: Migration = {
  id: 12,
  name: 'ended-tokens',
  async up(db) {
    await db.schema
      .alterTable('token')
      .addColumn('ended', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
