import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Whose channel an alert went to: an organization does not see the channels of the instance. */
export const alertDeliveryOwner: Migration = {
  id: 22,
  name: 'alert-delivery-owner',
  async up(db) {
    await db.schema
      .alterTable('alert_delivery')
      .addColumn('channel_organization_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    // Of a channel that is gone nobody knows: it counts as the instance's.
    await sql`update alert_delivery set channel_organization_id =
      coalesce((select organization_id from alert_channel where id = channel_id), '')`.execute(db);
  },
};
