import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** People: accounts, memberships, sessions, links, factors, guesses; single sign-on; management keys. */
export const accounts: Migration = {
  id: 4,
  name: 'accounts',
  async up(db, dialect) {
    const create = tableMaker(db, dialect);
    await createAccountTables(db, create);
    await createSessionTables(db, create);
    await createFactorTables(db, create);
    await createKeyTable(db, create);
    await moveOperators(db);
  },
};

type Base = 'text' | 'integer' | 'bigint' | 'blob';
type Columns = Readonly<Record<string, Base | `${Base} null`>>;
type Create = (table: string, columns: Columns, key: readonly string[]) => Promise<void>;

function tableMaker(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Create {
  const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`;
  return async (table, columns, key) => {
    let builder = db.schema.createTable(table);
    for (const [name, type] of Object.entries(columns)) {
      const [base, nullable] = type.split(' ') as [Base, string?];
      builder = builder.addColumn(name, base === 'blob' ? blob : base, (column) =>
        nullable === undefined ? column.notNull() : column,
      );
    }
    builder = builder.addPrimaryKeyConstraint(`${table}_key`, [...key] as never[]);
    await (dialect === 'sqlite' ? builder.modifyEnd(sql`without rowid`) : builder).execute();
  };
}

async function createAccountTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'account',
    {
      id: 'text',
      email: 'text',
      operator: 'integer',
      operator_by_sso: 'integer',
      password: 'text null',
      disabled_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    ['id'],
  );
  await db.schema.createIndex('account_email').on('account').column('email').unique().execute();
  // The few among many: the others pay nothing for it.
  await sql`create index account_operator on account (id) where operator = 1 or operator_by_sso = 1`.execute(db);
  await create(
    'membership',
    { organization_id: 'text', account_id: 'text', role: 'text', by_sso: 'integer', created_at: 'bigint' },
    ['organization_id', 'account_id'],
  );
  await db.schema.createIndex('membership_account').on('membership').column('account_id').execute();
  await create('sso_identity', { issuer: 'text', subject: 'text', account_id: 'text', created_at: 'bigint' }, [
    'issuer',
    'subject',
  ]);
  await db.schema.createIndex('sso_identity_account').on('sso_identity').column('account_id').execute();
  await create(
    'one_time_link',
    {
      id: 'text',
      hash: 'text',
      kind: 'text',
      email: 'text',
      account_id: 'text null',
      organization_id: 'text',
      role: 'text null',
      created_by: 'text',
      created_at: 'bigint',
      expires_at: 'bigint',
    },
    ['id'],
  );
  await db.schema.createIndex('one_time_link_hash').on('one_time_link').column('hash').unique().execute();
  await db.schema
    .createIndex('one_time_link_organization')
    .on('one_time_link')
    .columns(['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('one_time_link_account').on('one_time_link').column('account_id').execute();
  await db.schema.createIndex('one_time_link_expiry').on('one_time_link').column('expires_at').execute();
}

async function createSessionTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'session',
    {
      id: 'text',
      hash: 'text',
      account_id: 'text',
      method: 'text',
      created_at: 'bigint',
      authenticated_at: 'bigint',
      seen_at: 'bigint',
      expires_at: 'bigint',
      address: 'text',
      user_agent: 'text',
    },
    ['id'],
  );
  await db.schema.createIndex('session_hash').on('session').column('hash').unique().execute();
  await db.schema.createIndex('session_account').on('session').columns(['account_id', 'id']).execute();
  await db.schema.createIndex('session_expiry').on('session').column('expires_at').execute();
  await create(
    'challenge',
    { hash: 'text', kind: 'text', account_id: 'text null', facts: 'text', created_at: 'bigint', expires_at: 'bigint' },
    ['hash'],
  );
  await db.schema.createIndex('challenge_expiry').on('challenge').column('expires_at').execute();
  // Anybody may begin a sign-in: most of these are nobody's.
  await sql`create index challenge_account on challenge (account_id) where account_id is not null`.execute(db);
  await create('guess', { subject: 'text', empty_at: 'bigint' }, ['subject']);
  await db.schema.createIndex('guess_empty').on('guess').column('empty_at').execute();
  await create('familiar_device', { account_id: 'text', hash: 'text', created_at: 'bigint', seen_at: 'bigint' }, [
    'account_id',
    'hash',
  ]);
  await db.schema.createIndex('familiar_device_seen').on('familiar_device').column('seen_at').execute();
}

async function createFactorTables(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'totp',
    {
      account_id: 'text',
      id: 'text',
      sealed: 'blob',
      key_id: 'text',
      confirmed_at: 'bigint null',
      last_step: 'bigint',
      created_at: 'bigint',
    },
    ['account_id'],
  );
  await create(
    'passkey',
    {
      id: 'text',
      account_id: 'text',
      credential_id: 'text',
      public_key: 'blob',
      counter: 'bigint',
      transports: 'text',
      name: 'text',
      created_at: 'bigint',
      used_at: 'bigint null',
    },
    ['id'],
  );
  await db.schema.createIndex('passkey_credential').on('passkey').column('credential_id').unique().execute();
  await db.schema.createIndex('passkey_account').on('passkey').column('account_id').execute();
  await create('recovery_code', { account_id: 'text', hash: 'text', used_at: 'bigint null' }, ['account_id', 'hash']);
}

async function createKeyTable(db: Kysely<unknown>, create: Create): Promise<void> {
  await create(
    'management_key',
    {
      organization_id: 'text',
      id: 'text',
      name: 'text',
      role: 'text',
      enabled: 'integer',
      allow_list: 'text',
      expires_at: 'bigint null',
      created_by: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    ['organization_id', 'id'],
  );
  await db.schema.createIndex('management_key_id').on('management_key').column('id').unique().execute();
}

/** Those recorded before there were accounts: without a password, so they need a link to become active. */
async function moveOperators(db: Kysely<unknown>): Promise<void> {
  await sql`insert into account (id, email, operator, operator_by_sso, password, disabled_at, created_at, updated_at)
    select id, email, 1, 0, null, null, created_at, created_at from operator`.execute(db);
  await db.schema.dropTable('operator').execute();
}
