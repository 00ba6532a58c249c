import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { blob, idSql, insertRows, moment } from './insert-rows.testing.ts';

const later = (): number => Date.now() + 3_600_000;

type Count = Parameters<typeof insertRows>[1];

const operatorsEvery = 500;

/**
 * Other organizations; people, keys, routes and words of one organization; a session for each person, and many for one.
 */
export async function fillPeople(
  database: Database,
  acme: { readonly id: string; readonly accountId: string },
  { first, people: count, sessions }: { readonly first: number; readonly people: number; readonly sessions: number },
): Promise<void> {
  const organization_id = sql.lit(acme.id);
  const people = { first, count };
  const account = idSql(database, 20);
  await insertRows(database, people, 'organization', {
    ...{ id: idSql(database, 21), name: sql`'Organization ' || i`, created_at: moment, suspended_at: sql`null` },
  });
  await insertRows(database, people, 'account', {
    ...{ id: account, email: sql`'person' || i || '@example.com'`, operator_by_sso: sql`0`, password: sql`null` },
    operator: sql`case when i % ${sql.lit(operatorsEvery)} = 0 then 1 else 0 end`,
    ...{ disabled_at: sql`null`, created_at: moment, updated_at: moment },
  });
  await insertRows(database, people, 'membership', {
    ...{ organization_id, account_id: account, role: sql`'viewer'`, by_sso: sql`0`, created_at: moment },
  });
  await insertRows(database, people, 'passkey', {
    ...{ id: idSql(database, 28), account_id: account, credential_id: sql`'c' || i`, public_key: blob(database) },
    ...{ counter: sql`0`, transports: sql`'[]'`, name: sql`'key'`, created_at: moment, used_at: sql`null` },
  });
  await insertRows(database, people, 'one_time_link', {
    ...{ organization_id, id: idSql(database, 22), hash: sql`'h' || i`, kind: sql`'invitation'` },
    ...{ email: sql`'guest' || i || '@example.com'`, account_id: sql`null`, role: sql`'viewer'` },
    ...{ created_by: sql`'cli:test'`, created_at: moment, expires_at: sql.lit(later()) },
  });
  const session = {
    ...{
      method: sql`'password'`,
      created_at: moment,
      authenticated_at: moment,
      seen_at: sql.lit(Date.now()),
      expires_at: sql.lit(later()),
    },
    ...{ address: sql`'192.0.2.1'`, user_agent: sql`'curl/8'` },
  };
  await insertRows(database, { first, count: sessions }, 'session', {
    ...{ ...session, id: idSql(database, 23), hash: sql`'h' || i`, account_id: sql.lit(acme.accountId) },
  });
  await insertRows(database, people, 'session', {
    ...{ ...session, id: idSql(database, 29), hash: sql`'g' || i`, account_id: account },
  });
  await fillKeys(database, acme.id, people);
  await insertRows(database, people, 'route', {
    ...{ id: idSql(database, 27), carrier_id: sql`'simulator'`, kind: sql`'number'`, address: sql`'106' || i` },
    ...{ organization_id: sql`case when i % 2 = 0 then ${organization_id} else 'another' end`, created_at: moment },
  });
  for (const whose of [organization_id, sql`''`]) {
    await insertRows(database, people, 'blocked_word', {
      ...{ organization_id: whose, word: sql`'word ' || i`, created_at: moment },
    });
  }
}

async function fillKeys(database: Database, organizationId: string, count: Count): Promise<void> {
  const organization_id = sql.lit(organizationId);
  const key = {
    ...{ name: sql`'robot'`, enabled: sql`1`, allow_list: sql`'["192.0.2.1/32"]'`, expires_at: sql`null` },
    ...{ created_at: moment, updated_at: moment },
  };
  await insertRows(database, count, 'messaging_key', {
    ...{ ...key, organization_id, id: idSql(database, 24), permitted: sql`1`, query_token: sql`1` },
  });
  const made = { ...key, created_by: sql`'cli:test'` };
  await insertRows(database, count, 'management_key', {
    ...{ ...made, organization_id, id: idSql(database, 25), role: sql`'viewer'` },
  });
  await insertRows(database, count, 'management_key', {
    ...{ ...made, organization_id: sql`''`, id: idSql(database, 26), role: sql`'operator'` },
  });
}
