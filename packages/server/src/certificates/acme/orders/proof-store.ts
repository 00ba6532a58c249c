import type { Db } from '../../../database/database.ts';
import type { AcmeChallengeRow } from '../../../database/schema/acme-tables.ts';

/** Repeated after a crash: what was asked for anew takes the place of what was there. */
export async function putChallenge(trx: Db, row: AcmeChallengeRow): Promise<void> {
  await trx
    .insertInto('acme_challenge')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['order_id', 'authorization_url']).doUpdateSet({
        token: row.token,
        type: row.type,
        challenge_url: row.challenge_url,
        key_authorization: row.key_authorization,
        record_name: row.record_name,
        record_value: row.record_value,
      }),
    )
    .execute();
}

/** By their domains. */
export async function listChallenges(db: Db, orderId: string): Promise<AcmeChallengeRow[]> {
  return db
    .selectFrom('acme_challenge')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('domain')
    .orderBy('authorization_url')
    .execute();
}

type Key = Pick<AcmeChallengeRow, 'order_id' | 'authorization_url'>;

export async function updateChallenge(trx: Db, key: Key, columns: Partial<AcmeChallengeRow>): Promise<void> {
  await trx
    .updateTable('acme_challenge')
    .set(columns)
    .where('order_id', '=', key.order_id)
    .where('authorization_url', '=', key.authorization_url)
    .execute();
}

/** Whether an order that still runs, other than this one, is being proved by this authorization. */
export async function isProvedElsewhere(
  db: Db,
  { orderId, domain, url }: { readonly orderId: string; readonly domain: string; readonly url: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('acme_challenge')
    .select('order_id')
    .where('domain', '=', domain)
    .where('authorization_url', '=', url)
    .where('order_id', '!=', orderId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Those of these proofs that an order of another organization waits for as well. */
export async function findContested<Proof extends Pick<AcmeChallengeRow, 'domain' | 'authorization_url'>>(
  db: Db,
  order: Pick<AcmeChallengeRow, 'organization_id'>,
  proofs: readonly Proof[],
): Promise<Proof[]> {
  if (proofs.length === 0) return [];
  const domains = proofs.map(({ domain }) => domain);
  const urls = proofs.map(({ authorization_url }) => authorization_url);
  const rows = await db
    .selectFrom('acme_challenge')
    .select('authorization_url')
    .distinct()
    .where('domain', 'in', domains)
    .where('authorization_url', 'in', urls)
    .where('organization_id', '<>', order.organization_id)
    .execute();
  const shared = new Set(rows.map(({ authorization_url }) => authorization_url));
  return proofs.filter(({ authorization_url }) => shared.has(authorization_url));
}

export async function deleteChallenges(trx: Db, orderId: string): Promise<void> {
  await trx.deleteFrom('acme_challenge').where('order_id', '=', orderId).execute();
}

/** What answers at `/.well-known/acme-challenge/TOKEN`. */
export async function findHttpAnswer(db: Db, token: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('acme_challenge')
    .select('key_authorization')
    .where('token', '=', token)
    .where('type', '=', 'http-01')
    .executeTakeFirst();
  return row?.key_authorization;
}

/** What proves a name by TLS-ALPN-01: the newest one. */
export async function findAlpnAnswer(db: Db, domain: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('acme_challenge')
    .select('key_authorization')
    .where('domain', '=', domain)
    .where('type', '=', 'tls-alpn-01')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.key_authorization;
}

/**
 * The values of the TXT records of a name, for the zone that this service answers for. Those that a provider was to set
 * are none of them, wherever a CNAME led to: whoever names a provider has not shown that the name here is theirs.
 */
export async function findTextValues(db: Db, recordName: string): Promise<string[]> {
  const rows = await db
    .selectFrom('acme_challenge')
    .select('record_value')
    .where('record_name', '=', recordName)
    .where('dns_provider_id', 'is', null)
    .execute();
  return rows.flatMap(({ record_value }) => record_value ?? []);
}
