import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Text messages: keys, quotas and lists; batches, messages, the submit queue; receipts, replies, events. */
export const messages: Migration = {
  id: 3,
  name: 'messages',
  async up(db, dialect) {
    const create = tableMaker(db, dialect);
    await createAccessTables(db, create);
    await createListTables(db, create);
    await createMessageTables(db, create);
    await createInboundTables(db, create);
    await createEventTables(db, create);
  },
};

type Columns = Readonly<Record<string, 'text' | 'text null' | 'integer' | 'integer null' | 'bigint' | 'bigint null'>>;
type Create = (table: string, columns: Columns, key: readonly string[]) => Promise<void>;

/**
 * On SQLite a row lies in the tree of its primary key: one tree to write to instead of two, and the rows of an
 * organization lie together.
 */
function tableMaker(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Create {
  return async (table, columns, key) => {
    let builder = db.schema.createTable(table);
    for (const [name, type] of Object.entries(columns)) {
      const [base, nullable] = type.split(' ');
      builder = builder.addColumn(name, base as 'text' | 'integer' | 'bigint', (column) =>
        nullable === undefined ? column.notNull() : column,
      );
    }
    builder = builder.addPrimaryKeyConstraint(`${table}_key`, [...key] as never[]);
    await (dialect === 'sqlite' ? builder.modifyEnd(sql`without rowid`) : builder).execute();
  };
}

async function createAccessTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'messaging_key',
    {
      organization_id: 'text',
      id: 'text',
      name: 'text',
      enabled: 'integer',
      permitted: 'integer',
      query_token: 'integer',
      allow_list: 'text',
      expires_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    ['organization_id', 'id'],
  );
  await db.schema.createIndex('messaging_key_id').on('messaging_key').column('id').execute();
  await create(
    'organization_messaging',
    {
      organization_id: 'text',
      default_region: 'text null',
      messages_per_second: 'integer null',
      messages_per_day: 'bigint null',
      updated_at: 'bigint',
    },
    ['organization_id'],
  );
  await create('daily_usage', { organization_id: 'text', day: 'text', used: 'bigint' }, ['organization_id', 'day']);
  await create(
    'idempotency_key',
    {
      organization_id: 'text',
      key_id: 'text',
      idempotency_key: 'text',
      fingerprint: 'text',
      batch_id: 'text',
      answered_at: 'bigint',
    },
    ['organization_id', 'key_id', 'idempotency_key'],
  );
  await db.schema.createIndex('idempotency_key_answered').on('idempotency_key').column('answered_at').execute();
}

/** An organization_id that is empty stands for all organizations. */
async function createListTables(_db: Kysely<unknown>, create: Create): Promise<void> {
  await create('opt_out', { organization_id: 'text', number: 'text', source: 'text', created_at: 'bigint' }, [
    'organization_id',
    'number',
  ]);
  await create('blocked_number', { organization_id: 'text', number: 'text', created_at: 'bigint' }, [
    'organization_id',
    'number',
  ]);
  await create('blocked_word', { organization_id: 'text', word: 'text', created_at: 'bigint' }, [
    'organization_id',
    'word',
  ]);
}

async function createMessageTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'message_batch',
    {
      organization_id: 'text',
      id: 'text',
      key_id: 'text',
      content: 'text',
      sender: 'text null',
      messages: 'integer',
      accepted_at: 'bigint',
    },
    ['organization_id', 'id'],
  );
  await create(
    'message',
    {
      organization_id: 'text',
      batch_id: 'text',
      position: 'integer',
      mobile: 'text',
      number: 'text',
      segments: 'integer',
      parts: 'text',
      memos: 'text null',
      status: 'text null',
      memo: 'text null',
      carrier_id: 'text null',
      simulated: 'integer',
      accepted_at: 'bigint',
      sent_at: 'bigint null',
      settled_at: 'bigint null',
      ends_at: 'bigint',
      push_id: 'text null',
    },
    ['organization_id', 'batch_id', 'position'],
  );
  await db.schema.createIndex('message_number').on('message').columns(['number', 'accepted_at']).execute();
  // What is settled leaves this index, so it holds only what somebody still waits for.
  await sql`create index message_open on message (ends_at) where status is null`.execute(db);
  // Lists by status: partial, so that the many that were delivered pay nothing, and an open one only while it is open.
  await sql`create index message_open_list on message (organization_id, batch_id, position) where status is null`.execute(
    db,
  );
  await sql`create index message_undelivered on message (organization_id, status, batch_id, position)
    where status <> 'DELIVRD'`.execute(db);
  await create(
    'message_part',
    {
      organization_id: 'text',
      batch_id: 'text',
      position: 'integer',
      part: 'integer',
      carrier_id: 'text',
      number: 'text',
      due_at: 'bigint',
      valid_until: 'bigint',
      attempts: 'integer',
      unanswered: 'integer',
    },
    ['organization_id', 'batch_id', 'position', 'part'],
  );
  await db.schema.createIndex('message_part_due').on('message_part').columns(['carrier_id', 'due_at']).execute();
}

async function createInboundTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'carrier_message',
    {
      carrier_id: 'text',
      carrier_message_id: 'text',
      organization_id: 'text',
      batch_id: 'text',
      position: 'integer',
      part: 'integer',
      sent_at: 'bigint',
    },
    ['carrier_id', 'carrier_message_id'],
  );
  await db.schema.createIndex('carrier_message_sent').on('carrier_message').column('sent_at').execute();
  // What carriers call the parts of a message, for its timeline.
  await db.schema
    .createIndex('carrier_message_part')
    .on('carrier_message')
    .columns(['organization_id', 'batch_id', 'position'])
    .execute();
  await create(
    'orphan_receipt',
    { carrier_id: 'text', carrier_message_id: 'text', status: 'text', memo: 'text null', received_at: 'bigint' },
    ['carrier_id', 'carrier_message_id', 'status'],
  );
  await db.schema.createIndex('orphan_receipt_received').on('orphan_receipt').column('received_at').execute();
  await create(
    'reply',
    {
      organization_id: 'text',
      id: 'text',
      carrier_id: 'text',
      sender: 'text',
      recipient: 'text',
      content: 'text',
      owned_by: 'text',
      stop: 'integer',
      simulated: 'integer',
      received_at: 'bigint',
      push_id: 'text null',
    },
    ['organization_id', 'id'],
  );
  await create(
    'route',
    {
      id: 'text',
      organization_id: 'text',
      carrier_id: 'text',
      kind: 'text',
      address: 'text',
      created_at: 'bigint',
    },
    ['id'],
  );
  await db.schema
    .createIndex('route_address')
    .on('route')
    .columns(['carrier_id', 'kind', 'address'])
    .unique()
    .execute();
  await db.schema.createIndex('route_organization').on('route').columns(['organization_id', 'id']).execute();
}

async function createEventTables(_db: Kysely<unknown>, create: Create): Promise<void> {
  await create('message_counter', { organization_id: 'text', value: 'bigint', forgotten: 'bigint' }, [
    'organization_id',
  ]);
  await create(
    'message_event',
    {
      organization_id: 'text',
      number: 'bigint',
      kind: 'text',
      subject_id: 'text',
      position: 'integer',
      at: 'bigint',
    },
    ['organization_id', 'number'],
  );
}
