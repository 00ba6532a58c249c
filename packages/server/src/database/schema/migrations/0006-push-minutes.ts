import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** How many attempts of each push setting ended in each minute, and how long they took. */
export const pushMinutes: Migration = {
  id: 6,
  name: 'push-minutes',
  async up(db, dialect) {
    const columns = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10', 'b11', 'b12', 'b13'];
    let table = db.schema
      .createTable('push_minute')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('setting_id', 'text', (column) => column.notNull())
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('delivered', 'bigint', (column) => column.notNull());
    for (const name of columns) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    const end = dialect === 'sqlite' ? sql`without rowid` : sql``;
    await table
      .addPrimaryKeyConstraint('push_minute_key', ['organization_id', 'setting_id', 'minute'])
      .modifyEnd(end)
      .execute();
    // Of all settings, and what retention has passed.
    await db.schema.createIndex('push_minute_time').on('push_minute').columns(['minute']).execute();
  },
};
