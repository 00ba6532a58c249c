import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Opted-out and blocked numbers of China that were kept with the zero of a national call behind the country code, as +860138…: a
 * message goes to +86138…, and no such row was found for it.
 */
export const listedNumbersWithoutZero: Migration = {
  id: 16,
  name: 'listed-numbers-without-zero',
  async up(db) {
    const number = sql`'+86' || ltrim(substr(number, 4), '0')`;
    const isWithZero = sql`number like '+860%' and ltrim(substr(number, 4), '0') <> ''`;
    await sql`insert into opt_out (organization_id, number, source, created_at)
      select organization_id, ${number}, source, created_at from opt_out where ${isWithZero}
      order by created_at on conflict do nothing`.execute(db);
    await sql`delete from opt_out where ${isWithZero}`.execute(db);
    await sql`insert into blocked_number (organization_id, number, created_at)
      select organization_id, ${number}, created_at from blocked_number where ${isWithZero}
      order by created_at on conflict do nothing`.execute(db);
    await sql`delete from blocked_number where ${isWithZero}`.execute(db);
  },
};
