import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Every waiting push is in the index of its setting. Some were kept out of it until they had to be found there. */
export const waitingPushesBySetting: Migration = {
  id: 18,
  name: 'waiting-pushes-by-setting',
  async up(db) {
    await sql`drop index push_due`.execute(db);
    await sql`drop index push_unfiled`.execute(db);
    await sql`alter table push drop column filed`.execute(db);
    // Without the id, which would order pushes that are due at the same millisecond: with it, PostgreSQL reads the whole index
    // to find one push when it believes the table to be empty.
    await sql`create index push_due on push (shard, setting_id, due_at)`.execute(db);
  },
};
