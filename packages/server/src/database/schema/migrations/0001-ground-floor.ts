import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Ground floor: instance facts, nodes, change counter, audit chain, accounts, certificates, deployments. */
export const groundFloor: Migration = {
  id: 1,
  name: 'ground floor',
  async up(db, dialect) {
    const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`;
    await createInstanceTables(db, blob);
    await createAuditTables(db);
    await createAccountTables(db);
    await createCertificateTables(db, blob);
    await createDeploymentTables(db);
  },
};

type ColumnTypeSql = ReturnType<typeof sql>;

async function createInstanceTables(db: Kysely<unknown>, blob: ColumnTypeSql): Promise<void> {
  await db.schema
    .createTable('instance_fact')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', blob, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('node')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('key_ids', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('master_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_check', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('change_counter')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into change_counter (name, value) values ('retrieval', 0)`.execute(db);
  await db.schema
    .createTable('change_log')
    .addColumn('revision', 'bigint', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('change_log_at').on('change_log').column('at').execute();
}

async function createAuditTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_head')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('link', 'bigint', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .execute();
  await sql`insert into audit_head (id, link, mac, day) values (1, 0, '', '')`.execute(db);
  await db.schema
    .createTable('audit_link')
    .addColumn('link', 'bigint', (column) => column.primaryKey())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('entries', 'integer', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_link_day').on('audit_link').columns(['day', 'link']).execute();
  await db.schema
    .createTable('audit_entry')
    .addColumn('link', 'bigint', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_entry_key', ['link', 'position'])
    .execute();
  // Entries lie in the order they were chained; this index of whom they concern is brought up to date a moment later.
  await db.schema
    .createTable('audit_index')
    .addColumn('term', 'text', (column) => column.notNull())
    .addColumn('link', 'bigint', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_index_key', ['term', 'link', 'position'])
    .execute();
  await db.schema
    .createTable('audit_index_state')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('link', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into audit_index_state (id, link) values (1, 0)`.execute(db);
  await db.schema
    .createTable('audit_segment')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .addColumn('first_link', 'bigint', (column) => column.notNull())
    .addColumn('last_link', 'bigint', (column) => column.notNull())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('former_mac', 'text', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .addColumn('seal', 'text', (column) => column.notNull())
    .addColumn('closed_at', 'bigint', (column) => column.notNull())
    .addColumn('pruned_at', 'bigint')
    .execute();
}

async function createAccountTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('organization')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('suspended_at', 'bigint')
    .execute();
  await db.schema
    .createTable('operator')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('token')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .execute();
  await db.schema.createIndex('token_subject').on('token').columns(['organization_id', 'subject_id']).execute();
  // Most tokens never end by themselves: they cost this index nothing.
  await db.schema
    .createIndex('token_expiry')
    .on('token')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();
}

async function createCertificateTables(db: Kysely<unknown>, blob: ColumnTypeSql): Promise<void> {
  await db.schema
    .createTable('certificate')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('current_version', 'text')
    .addColumn('former_version', 'text')
    .addColumn('versions', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('certificate_key', ['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('certificate_id').on('certificate').column('id').execute();
  await db.schema
    .createTable('certificate_version')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('certificate_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('domains', 'text', (column) => column.notNull())
    .addColumn('chain', 'text', (column) => column.notNull())
    .addColumn('sealed_key', blob, (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('key_type', 'text', (column) => column.notNull())
    .addColumn('serial', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('not_after', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .addPrimaryKeyConstraint('certificate_version_key', ['organization_id', 'certificate_id', 'id'])
    .addUniqueConstraint('certificate_version_number', ['organization_id', 'certificate_id', 'number'])
    .execute();
  await db.schema.createIndex('certificate_version_id').on('certificate_version').column('id').execute();
  await db.schema
    .createIndex('certificate_version_sealed')
    .on('certificate_version')
    .columns(['key_id', 'id'])
    .execute();
}

async function createDeploymentTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deployment')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('certificate_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('enabled', 'smallint', (column) => column.notNull())
    .addColumn('permitted', 'smallint', (column) => column.notNull())
    .addColumn('query_token', 'smallint', (column) => column.notNull())
    .addColumn('allow_list', 'text', (column) => column.notNull())
    .addColumn('requests_per_minute', 'integer')
    .addColumn('expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_key', ['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('deployment_id').on('deployment').column('id').execute();
  await db.schema.createIndex('deployment_certificate').on('deployment').columns(['certificate_id', 'id']).execute();
  await db.schema
    .createTable('deployment_activity')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('deployment_id', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('last_address', 'text', (column) => column.notNull())
    .addColumn('last_user_agent', 'text', (column) => column.notNull())
    .addColumn('last_version', 'text', (column) => column.notNull())
    .addColumn('successes', 'bigint', (column) => column.notNull())
    .addColumn('not_modified', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_activity_key', ['organization_id', 'deployment_id'])
    .execute();
  await db.schema
    .createTable('deployment_refusal')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('deployment_id', 'text', (column) => column.notNull())
    .addColumn('minute', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_refusal_key', [
      'organization_id',
      'deployment_id',
      'minute',
      'reason',
      'address',
    ])
    .execute();
  await db.schema.createIndex('deployment_refusal_minute').on('deployment_refusal').column('minute').execute();
}
