import type { Migration } from '../migration.ts';

/** What links to carriers do, segments of replies that wait for the others, who refused a part for now, and how texts are cut. */
export const carrierLinks: Migration = {
  id: 24,
  name: 'carrier-links',
  async up(db) {
    await db.schema
      .createTable('carrier_state')
      .addColumn('carrier_id', 'text', (column) => column.primaryKey())
      .addColumn('connections', 'text', (column) => column.notNull())
      .addColumn('down_since', 'bigint')
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('last_keep_alive_at', 'bigint')
      .addColumn('id_forms', 'text', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('reply_segment')
      .addColumn('carrier_id', 'text', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('reference', 'text', (column) => column.notNull())
      .addColumn('total', 'integer', (column) => column.notNull())
      .addColumn('sequence', 'integer', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('delivered_at', 'bigint')
      .addPrimaryKeyConstraint('reply_segment_key', [
        ...(['carrier_id', 'sender', 'recipient', 'reference', 'total', 'sequence'] as const),
      ])
      .execute();
    await db.schema.createIndex('reply_segment_age').on('reply_segment').column('received_at').execute();
    await db.schema
      .alterTable('message_part')
      .addColumn('refused_by', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    for (const table of ['message', 'message_part']) {
      await db.schema.alterTable(table).addColumn('text_cut', 'text').execute();
    }
  },
};
