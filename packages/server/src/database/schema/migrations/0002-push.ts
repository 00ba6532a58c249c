import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Pushes: settings with their secrets, what waits, what ended, the log of attempts, re-sends; and leases. */
export const push: Migration = {
  id: 2,
  name: 'push',
  async up(db, dialect) {
    await createLeaseTable(db);
    await createSettingTables(db, dialect === 'sqlite' ? sql`blob` : sql`bytea`);
    // A table of volume is one tree instead of two on SQLite: its rows lie in the order of its key.
    const end = dialect === 'sqlite' ? sql`without rowid` : sql``;
    await createWaitingTable(db, end);
    await createHistoryTables(db, end);
  },
};

type Sql = ReturnType<typeof sql>;

async function createLeaseTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}

async function createSettingTables(db: Kysely<unknown>, blob: Sql): Promise<void> {
  await db.schema
    .createTable('push_setting')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('shard', 'smallint', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('enabled', 'smallint', (column) => column.notNull())
    .addColumn('timeout_ms', 'integer', (column) => column.notNull())
    .addColumn('retries', 'integer', (column) => column.notNull())
    .addColumn('concurrency', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('push_setting_key', ['organization_id', 'id'])
    .addUniqueConstraint('push_setting_kind', ['organization_id', 'kind'])
    .execute();
  await db.schema.createIndex('push_setting_id').on('push_setting').column('id').execute();
  await db.schema
    .createTable('push_secret')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('setting_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('replaced_at', 'bigint')
    .addPrimaryKeyConstraint('push_secret_key', ['organization_id', 'setting_id', 'id'])
    .execute();
  await db.schema.createIndex('push_secret_sealed').on('push_secret').columns(['key_id', 'id']).execute();
}

async function createWaitingTable(db: Kysely<unknown>, end: Sql): Promise<void> {
  await db.schema
    .createTable('push')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('setting_id', 'text', (column) => column.notNull())
    .addColumn('shard', 'smallint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('queued_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attempts_before', 'integer', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('filed', 'smallint', (column) => column.notNull())
    .addPrimaryKeyConstraint('push_key', ['id', 'organization_id'])
    .modifyEnd(end)
    .execute();
  // Which settings have something due, and what of a setting is due first: both without a look at the rest. The order of
  // those that are due at the same millisecond is the reader's work on PostgreSQL (on SQLite the key is part of every
  // index): with the id in it, a planner that believes the table to be empty finds single pushes by reading all of it.
  // Partial: nearly every push is delivered from memory at once, and pays nothing for a place among those of its setting.
  await sql`create index push_due on push (shard, setting_id, due_at) where filed = 1`.execute(db);
  // The others, in the order of time: a commit of fifty pushes of fifty settings writes one page of it.
  await sql`create index push_unfiled on push (id) where filed = 0`.execute(db);
}

async function createHistoryTables(db: Kysely<unknown>, end: Sql): Promise<void> {
  await db.schema
    .createTable('push_history')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('setting_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint')
    .addColumn('ms', 'integer')
    .addColumn('address', 'text')
    .addColumn('outcome', 'text')
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('excerpt', 'text')
    .addPrimaryKeyConstraint('push_history_key', ['organization_id', 'id'])
    .modifyEnd(end)
    .execute();
  // What can be sent again. Partial, so that the many that were delivered pay nothing for it; with all that a count of what
  // a re-send has left asks for, so that it reads this index alone.
  await sql`create index push_history_undelivered on push_history (setting_id, id, state, ended_at)
    where state <> 'delivered'`.execute(db);
  await db.schema
    .createTable('push_attempt')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('push_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('excerpt', 'text')
    .addPrimaryKeyConstraint('push_attempt_key', ['push_id', 'number', 'organization_id'])
    .modifyEnd(end)
    .execute();
  await db.schema
    .createTable('push_resend')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('setting_id', 'text', (column) => column.notNull())
    .addColumn('shard', 'smallint', (column) => column.notNull())
    .addColumn('states', 'text', (column) => column.notNull())
    .addColumn('reached', 'text', (column) => column.notNull())
    .addColumn('missed_since', 'bigint')
    .addColumn('missed_after', 'bigint')
    .addColumn('moved', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('push_resend_key', ['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('push_resend_shard').on('push_resend').columns(['shard', 'id']).execute();
}
