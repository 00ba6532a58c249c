import type { Migration } from '../migration.ts';

/** Which management key made a token and so has seen it; null for tokens of people, and for all from before. */
export const tokensMadeByKeys: Migration = {
  id: 15,
  name: 'tokens-made-by-keys',
  async up(db) {
    await db.schema.alterTable('token').addColumn('made_by', 'text').execute();
    await db.schema
      .createIndex('token_made_by')
      .on('token')
      .columns(['made_by', 'kind'])
      .where('made_by', 'is not', null)
      .execute();
  },
};
