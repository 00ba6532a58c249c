import { sql } from 'kysely';
import type { Db } from '../../../database/database.ts';
import type { CertificateRequestRow } from '../../../database/schema/acme-tables.ts';

export async function insertRequest(trx: Db, row: CertificateRequestRow): Promise<void> {
  await trx.insertInto('certificate_request').values(row).execute();
}

export async function findRequest(db: Db, certificateId: string): Promise<CertificateRequestRow | undefined> {
  return db
    .selectFrom('certificate_request')
    .selectAll()
    .where('certificate_id', '=', certificateId)
    .executeTakeFirst();
}

export async function findRequests(db: Db, certificateIds: readonly string[]): Promise<CertificateRequestRow[]> {
  if (certificateIds.length === 0) return [];
  return db.selectFrom('certificate_request').selectAll().where('certificate_id', 'in', certificateIds).execute();
}

export async function updateRequest(
  trx: Db,
  certificateId: string,
  columns: Partial<CertificateRequestRow>,
): Promise<void> {
  await trx.updateTable('certificate_request').set(columns).where('certificate_id', '=', certificateId).execute();
}

export async function deleteRequest(trx: Db, certificateId: string): Promise<void> {
  await trx.deleteFrom('certificate_request').where('certificate_id', '=', certificateId).execute();
}

/** Those whose next order is due. */
export async function listDueRequests(db: Db, now: number, limit: number): Promise<CertificateRequestRow[]> {
  return db
    .selectFrom('certificate_request')
    .selectAll()
    .where('next_at', 'is not', null)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(limit)
    .execute();
}

export interface DueWindows {
  readonly now: number;
  readonly limit: number;
  /** Those under way here, and those whose authority or organization has enough under way. */
  readonly except?: {
    readonly certificates: readonly string[];
    readonly organizations: readonly string[];
    readonly authorities: readonly string[];
  };
}

/** Those whose authority is to be asked for its window. */
export async function listDueWindows(db: Db, { now, limit, except }: DueWindows): Promise<CertificateRequestRow[]> {
  const { certificates = [], organizations = [], authorities = [] } = except ?? {};
  let query = db
    .selectFrom('certificate_request')
    .selectAll()
    .where('ari_next_at', 'is not', null)
    .where('ari_next_at', '<=', now)
    .orderBy('ari_next_at')
    .limit(limit);
  if (certificates.length > 0) query = query.where('certificate_id', 'not in', certificates);
  if (organizations.length > 0) query = query.where('organization_id', 'not in', organizations);
  if (authorities.length > 0) {
    query = query.where(({ eb, or }) => or([eb('issued_by', 'is', null), eb('issued_by', 'not in', authorities)]));
  }
  return query.execute();
}

/** Nothing is asked for this certificate's window until then, unless it is planned later anyway. */
export async function postponeWindow(db: Db, certificateId: string, until: number): Promise<void> {
  await db
    .updateTable('certificate_request')
    .set({ ari_next_at: until })
    .where('certificate_id', '=', certificateId)
    .where('ari_next_at', '<', until)
    .execute();
}

/** When something is due next; undefined: nothing is planned. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | string | null }>`
    select min(at) as at from (
      select min(next_at) as at from certificate_request where next_at is not null
      union all select min(ari_next_at) from certificate_request where ari_next_at is not null
      union all select min(next_at) from acme_order where next_at is not null
      union all select min(revoke_at) from acme_order where revoke_at is not null
    ) as due`.execute(db);
  const at = rows[0]?.at;
  return at === null || at === undefined ? undefined : Number(at);
}

/** All requests of all organizations. */
export async function countRequests(db: Db): Promise<number> {
  const row = await db
    .selectFrom('certificate_request')
    .select((select) => select.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Certificates whose request names something. */
export interface Uses {
  readonly count: number;
  /** Of the first of them, joined by commas. */
  readonly names: string;
}

const namesShown = 5;

export function findProviderUses(trx: Db, organizationId: string, providerId: string): Promise<Uses> {
  return usesIn(
    selectUses(trx)
      .where('certificate_request.organization_id', '=', organizationId)
      .where('certificate_request.dns_provider_id', '=', providerId),
  );
}

/** Revoked ones are not renewed. */
export function findAuthorityUses(trx: Db, authorityId: string): Promise<Uses> {
  return usesIn(
    selectUses(trx)
      .where('certificate_request.authorities', 'like', `%"${authorityId}"%`)
      .where('certificate.state', '<>', 'revoked'),
  );
}

function selectUses(trx: Db) {
  return trx
    .selectFrom('certificate_request')
    .innerJoin('certificate', (join) =>
      join
        .onRef('certificate.organization_id', '=', 'certificate_request.organization_id')
        .onRef('certificate.id', '=', 'certificate_request.certificate_id'),
    );
}

async function usesIn(uses: ReturnType<typeof selectUses>): Promise<Uses> {
  const { count } = await uses.select(({ fn }) => fn.countAll<number | string>().as('count')).executeTakeFirstOrThrow();
  const first = await uses
    .select('certificate.name')
    .orderBy('certificate_request.certificate_id')
    .limit(namesShown)
    .execute();
  const more = Number(count) > namesShown ? ['…'] : [];
  return { count: Number(count), names: [...first.map(({ name }) => name), ...more].join(', ') };
}
