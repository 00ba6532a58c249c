import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Authorities, DNS providers, requests for certificates, and the orders, steps and proofs that they lead to. */
export const issuedCertificates: Migration = {
  id: 22,
  name: 'issued-certificates',
  async up(db, dialect) {
    const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`;
    await db.schema
      .createTable('authority')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('preset', 'text')
      .addColumn('directory', 'text', (column) => column.notNull())
      .addColumn('root_pem', 'text')
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('account_key', 'text', (column) => column.notNull())
      .addColumn('sealed_key', blob, (column) => column.notNull())
      .addColumn('next_sealed_key', blob)
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('account_url', 'text')
      .addColumn('orders_url', 'text')
      .addColumn('eab_kid', 'text')
      .addColumn('sealed_eab', blob)
      .addColumn('profile', 'text')
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('rests_until', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('dns_provider')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('options', 'text', (column) => column.notNull())
      .addColumn('sealed', blob)
      .addColumn('key_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('dns_provider_key', ['organization_id', 'id'])
      .execute();

    await db.schema
      .createTable('certificate_request')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('certificate_id', 'text', (column) => column.notNull().unique())
      .addColumn('authorities', 'text', (column) => column.notNull())
      .addColumn('authority_index', 'integer', (column) => column.notNull())
      .addColumn('domains', 'text', (column) => column.notNull())
      .addColumn('challenge', 'text', (column) => column.notNull())
      .addColumn('dns_provider_id', 'text')
      .addColumn('key_kind', 'text', (column) => column.notNull())
      .addColumn('keep_key', 'integer', (column) => column.notNull())
      .addColumn('profile', 'text')
      .addColumn('next_at', 'bigint')
      .addColumn('window_start', 'bigint')
      .addColumn('window_end', 'bigint')
      .addColumn('ari_next_at', 'bigint')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .addColumn('last_error_at', 'bigint')
      .addColumn('order_id', 'text')
      .addColumn('issued_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('certificate_request_key', ['organization_id', 'certificate_id'])
      .execute();
    await sql`create index certificate_request_due on certificate_request (next_at) where next_at is not null`.execute(
      db,
    );
    await sql`create index certificate_request_ari on certificate_request (ari_next_at)
      where ari_next_at is not null`.execute(db);
    await db.schema
      .createIndex('certificate_request_provider')
      .on('certificate_request')
      .columns(['organization_id', 'dns_provider_id', 'certificate_id'])
      .execute();
    // Of one organization; those of all organizations are read by certificate_request_due.
    await sql`create index certificate_request_planned on certificate_request (organization_id, next_at, certificate_id)
      where attempts = 0 and next_at is not null`.execute(db);
    await sql`create index certificate_request_failing
      on certificate_request (organization_id, last_error_at, certificate_id) where attempts > 0`.execute(db);
    await sql`create index certificate_request_failing_all on certificate_request (last_error_at, certificate_id)
      where attempts > 0`.execute(db);

    await db.schema
      .createTable('acme_order')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('certificate_id', 'text', (column) => column.notNull())
      .addColumn('authority_id', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('step', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('names_hash', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('finalize', 'text')
      .addColumn('certificate_url', 'text')
      .addColumn('sealed_key', blob)
      .addColumn('key_id', 'text')
      .addColumn('replaces', 'text')
      .addColumn('intent_at', 'bigint')
      .addColumn('next_at', 'bigint')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('step_since', 'bigint', (column) => column.notNull())
      .addColumn('failure', 'text')
      .addColumn('waits_for', 'text')
      .addColumn('version_id', 'text')
      .addColumn('revoke_at', 'bigint')
      .addColumn('revoke_attempts', 'integer', (column) => column.notNull())
      .addColumn('looked_at', 'bigint')
      .addColumn('missing', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addPrimaryKeyConstraint('acme_order_key', ['organization_id', 'id'])
      .execute();
    await sql`create index acme_order_due on acme_order (next_at) where next_at is not null`.execute(db);
    await sql`create unique index acme_order_running on acme_order (certificate_id) where next_at is not null`.execute(
      db,
    );
    await sql`create index acme_order_revoke on acme_order (revoke_at) where revoke_at is not null`.execute(db);
    await sql`create index acme_order_sealed on acme_order (key_id, id) where key_id is not null`.execute(db);
    await db.schema.createIndex('acme_order_certificate').on('acme_order').columns(['certificate_id', 'id']).execute();
    await db.schema
      .createIndex('acme_order_names')
      .on('acme_order')
      .columns(['authority_id', 'names_hash', 'intent_at'])
      .execute();

    await db.schema
      .createTable('acme_step')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('order_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('step', 'text', (column) => column.notNull())
      .addColumn('domain', 'text')
      .addColumn('words', 'text')
      .addColumn('ok', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('acme_step_key', ['order_id', 'number'])
      .execute();

    await db.schema
      .createTable('acme_challenge')
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('order_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('domain', 'text', (column) => column.notNull())
      .addColumn('authorization_url', 'text', (column) => column.notNull())
      .addColumn('challenge_url', 'text', (column) => column.notNull())
      .addColumn('key_authorization', 'text', (column) => column.notNull())
      .addColumn('dns_provider_id', 'text')
      .addColumn('record_name', 'text')
      .addColumn('record_value', 'text')
      .addColumn('presented', 'integer', (column) => column.notNull())
      .addColumn('offered', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('acme_challenge_key', ['order_id', 'authorization_url'])
      .execute();
    await db.schema.createIndex('certificate_name_name').on('certificate_name').columns(['name']).execute();
    await db.schema.createIndex('acme_challenge_token').on('acme_challenge').columns(['token', 'type']).execute();
    await db.schema.createIndex('acme_challenge_domain').on('acme_challenge').columns(['domain', 'type']).execute();
    await db.schema.createIndex('acme_challenge_record').on('acme_challenge').columns(['record_name']).execute();
  },
};
