import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Where alerts are sent, what lasts and was told, and whom it was sent to. */
export const alerts: Migration = {
  id: 21,
  name: 'alerts',
  async up(db, dialect) {
    await db.schema
      .createTable('alert_channel')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('recipients', 'text', (column) => column.notNull())
      .addColumn('host', 'text')
      .addColumn('signed', 'integer', (column) => column.notNull())
      .addColumn('sealed', dialect === 'sqlite' ? sql`blob` : sql`bytea`)
      .addColumn('key_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('retry_at', 'bigint', (column) => column.notNull())
      .addColumn('last_sent_at', 'bigint')
      .addColumn('last_error', 'text')
      .execute();
    await db.schema.createIndex('alert_channel_owner').on('alert_channel').columns(['organization_id', 'id']).execute();

    await db.schema
      .createTable('alert_condition')
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('about_id', 'text', (column) => column.notNull())
      .addColumn('mark', 'text', (column) => column.notNull())
      .addColumn('notice', 'text', (column) => column.notNull())
      .addColumn('parameters', 'text', (column) => column.notNull())
      .addColumn('stage', 'integer', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('told_at', 'bigint')
      .addColumn('next_at', 'bigint')
      .addPrimaryKeyConstraint('alert_condition_key', ['type', 'organization_id', 'about_id'])
      .execute();

    await db.schema
      .createTable('alert')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('about_id', 'text', (column) => column.notNull())
      .addColumn('notice', 'text', (column) => column.notNull())
      .addColumn('parameters', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('alert_owner').on('alert').columns(['organization_id', 'id']).execute();

    await db.schema
      .createTable('alert_delivery')
      .addColumn('alert_id', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('channel_organization_id', 'text', (column) => column.notNull())
      .addColumn('digest_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('tried_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('last_error', 'text')
      .addPrimaryKeyConstraint('alert_delivery_key', ['alert_id', 'channel_id'])
      .execute();
    await sql`create index alert_delivery_waiting on alert_delivery (channel_id, tried_at, digest_id)
      where state = 'waiting'`.execute(db);
  },
};
