import type { CertificateRow, CertificateVersionRow } from '../database/certificate-tables.ts';
import type { Db } from '../database/connect.ts';
import { type Found, lookThrough } from '../database/look-through.ts';
import { type CertificateSummary, someDomainHas } from './certificate.ts';

export async function insertCertificate(db: Db, row: CertificateRow): Promise<void> {
  await db.insertInto('certificate').values(row).execute();
}

export async function insertVersion(db: Db, row: CertificateVersionRow): Promise<void> {
  await db.insertInto('certificate_version').values(row).execute();
}

export async function findCertificate(db: Db, id: string): Promise<CertificateRow | undefined> {
  return db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Makes room for the next version and keeps the certificate's row locked until the transaction ends, so that two
 * imports at once follow each other. @returns undefined when the certificate is not issued (any more).
 */
export async function advanceVersion(
  trx: Db,
  certificate: { organization_id: string; id: string },
  versionId: string,
  at: number,
): Promise<CertificateRow | undefined> {
  return trx
    .updateTable('certificate')
    .set((expression) => ({
      former_version: expression.ref('current_version'),
      current_version: versionId,
      versions: expression('versions', '+', 1),
      updated_at: at,
    }))
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .where('state', '=', 'issued')
    .returningAll()
    .executeTakeFirst();
}

export async function setCertificateRevoked(
  trx: Db,
  certificate: { organization_id: string; id: string },
  at: number,
): Promise<boolean> {
  const result = await trx
    .updateTable('certificate')
    .set({ state: 'revoked', updated_at: at })
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .where('state', '!=', 'revoked')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function setVersionRevoked(
  trx: Db,
  certificate: { organization_id: string; id: string },
  versionId: string,
  at: number,
): Promise<boolean> {
  const result = await trx
    .updateTable('certificate_version')
    .set({ state: 'revoked', revoked_at: at })
    .where('organization_id', '=', certificate.organization_id)
    .where('certificate_id', '=', certificate.id)
    .where('id', '=', versionId)
    .where('state', '!=', 'revoked')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export interface VersionFilter {
  /** Those with a lower number alone. */
  readonly before?: number;
  readonly limit: number;
}

/** Versions of a certificate, newest first, without their sealed keys. */
export async function listVersions(
  db: Db,
  certificate: { organization_id: string; id: string },
  { before, limit }: VersionFilter,
): Promise<Omit<CertificateVersionRow, 'sealed_key' | 'chain'>[]> {
  const query = db
    .selectFrom('certificate_version')
    .select([
      'organization_id',
      'certificate_id',
      'id',
      'number',
      'state',
      'domains',
      'key_id',
      'key_type',
      'serial',
      'fingerprint',
      'issuer',
      'subject',
      'not_before',
      'not_after',
      'created_at',
      'revoked_at',
    ])
    .where('organization_id', '=', certificate.organization_id)
    .where('certificate_id', '=', certificate.id)
    .orderBy('number', 'desc')
    .limit(limit);
  return (before === undefined ? query : query.where('number', '<', before)).execute();
}

export async function findVersion(
  db: Db,
  certificate: { organization_id: string; id: string },
  versionId: string,
): Promise<CertificateVersionRow | undefined> {
  return db
    .selectFrom('certificate_version')
    .selectAll()
    .where('organization_id', '=', certificate.organization_id)
    .where('certificate_id', '=', certificate.id)
    .where('id', '=', versionId)
    .executeTakeFirst();
}

export interface CertificateFilter {
  readonly organizationId?: string;
  readonly state?: CertificateRow['state'];
  /** Epoch milliseconds; those that expire before. */
  readonly expiresBefore?: number;
  /** Goes on after this id. */
  readonly after?: string;
  readonly limit: number;
}

/** In the order they were made. */
export async function listCertificates(db: Db, filter: CertificateFilter): Promise<CertificateSummary[]> {
  let query = db
    .selectFrom('certificate')
    .leftJoin('certificate_version', (join) =>
      join
        .onRef('certificate_version.organization_id', '=', 'certificate.organization_id')
        .onRef('certificate_version.certificate_id', '=', 'certificate.id')
        .onRef('certificate_version.id', '=', 'certificate.current_version'),
    )
    .selectAll('certificate')
    .select([
      'certificate_version.domains',
      'certificate_version.not_after',
      'certificate_version.state as version_state',
    ]);
  if (filter.organizationId !== undefined)
    query = query.where('certificate.organization_id', '=', filter.organizationId);
  if (filter.state !== undefined) query = query.where('certificate.state', '=', filter.state);
  if (filter.expiresBefore !== undefined) {
    query = query.where('certificate_version.not_after', '<', filter.expiresBefore);
  }
  if (filter.after !== undefined) query = query.where('certificate.id', '>', filter.after);
  return query.orderBy('certificate.id').limit(filter.limit).execute();
}

/** So much text of domains costs as much to read as all else of a row. */
const domainsPerCost = 4_096;
const searchedAtOnce = 200;

/**
 * Those of which a part of the name or of a domain is `search`, in any case; of a bounded part. The database does not look
 * for it: with `like` it compares at each place of a text, and some texts let it come far each time.
 */
export async function searchCertificates(
  db: Db,
  filter: CertificateFilter,
  search: string,
): Promise<Found<CertificateSummary>> {
  const wanted = search.toLowerCase();
  return lookThrough<CertificateSummary>({
    read: (last, limit) => listCertificates(db, { ...filter, limit, ...(last !== undefined && { after: last.id }) }),
    wanted: ({ name, domains }) => name.toLowerCase().includes(wanted) || someDomainHas(domains ?? '', wanted),
    take: filter.limit,
    cost: ({ domains }) => 1 + Math.floor((domains?.length ?? 0) / domainsPerCost),
    atOnce: searchedAtOnce,
  });
}

/** Certificates by id, whichever organization they belong to, each with its current version. */
export async function findCurrentVersions(
  db: Db,
  ids: readonly string[],
): Promise<{ certificate: CertificateRow; current: CertificateVersionRow | undefined }[]> {
  const certificates = await db.selectFrom('certificate').selectAll().where('id', 'in', ids).execute();
  const wanted = certificates.flatMap((row) => (row.current_version === null ? [] : [row.current_version]));
  // By the id alone: for the whole key SQLite would try every organization with every certificate.
  const versions =
    wanted.length === 0
      ? []
      : await db.selectFrom('certificate_version').selectAll().where('id', 'in', wanted).execute();
  const byId = new Map(versions.map((version) => [version.id, version]));
  return certificates.map((certificate) => ({
    certificate,
    current: certificate.current_version === null ? undefined : byId.get(certificate.current_version),
  }));
}

/** Names of certificates, by their ids. */
export async function findCertificateNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('certificate').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The domains of certificates' current versions, each a JSON list. */
export async function findCurrentDomains(
  db: Db,
  ids: readonly string[],
): Promise<{ certificate_id: string; domains: string }[]> {
  if (ids.length === 0) return [];
  const certificates = await db.selectFrom('certificate').select('current_version').where('id', 'in', ids).execute();
  const versions = certificates.flatMap(({ current_version }) => current_version ?? []);
  if (versions.length === 0) return [];
  return db
    .selectFrom('certificate_version')
    .select(['certificate_id', 'domains'])
    .where('id', 'in', versions)
    .execute();
}

/**
 * Versions whose key is sealed with another master key than `keyId`, in chunks for re-wrapping. In one order, so that
 * two who re-wrap at once do not wait for each other's rows. Two ranges of an index: "not equal" is none, and each
 * chunk would pass over all that is done already.
 */
export async function listSealedOtherwise(db: Db, keyId: string, limit: number): Promise<CertificateVersionRow[]> {
  const before = await listSealed(db, '<', keyId, limit);
  return before.length === limit ? before : [...before, ...(await listSealed(db, '>', keyId, limit - before.length))];
}

function listSealed(db: Db, range: '<' | '>', keyId: string, limit: number): Promise<CertificateVersionRow[]> {
  return db
    .selectFrom('certificate_version')
    .selectAll()
    .where('key_id', range, keyId)
    .orderBy('key_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Replaces a sealed key by the same key sealed anew, unless somebody else was faster. */
export async function replaceSealedKey(
  db: Db,
  version: CertificateVersionRow,
  sealedKey: Uint8Array,
  keyId: string,
): Promise<void> {
  await db
    .updateTable('certificate_version')
    .set({ sealed_key: sealedKey, key_id: keyId })
    .where('organization_id', '=', version.organization_id)
    .where('certificate_id', '=', version.certificate_id)
    .where('id', '=', version.id)
    .where('key_id', '=', version.key_id)
    .execute();
}

/**
 * Ids of the master keys that anything in this store is sealed with, in order. From one to the next by the index: they
 * are one or two, and "distinct" would read every version, inside the transaction that ends a rotation.
 */
export async function listSealingKeys(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (let last = await nextSealingKey(db, ''); last !== undefined; last = await nextSealingKey(db, last)) {
    found.push(last);
  }
  return found;
}

async function nextSealingKey(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('certificate_version')
    .select('key_id')
    .where('key_id', '>', after)
    .orderBy('key_id')
    .limit(1)
    .executeTakeFirst();
  return row?.key_id;
}

/** Sealed keys in the order of their versions' ids, after `after`. */
export async function listSealedKeys(
  db: Db,
  after: string,
  limit: number,
): Promise<Pick<CertificateVersionRow, 'organization_id' | 'certificate_id' | 'id' | 'sealed_key'>[]> {
  return db
    .selectFrom('certificate_version')
    .select(['organization_id', 'certificate_id', 'id', 'sealed_key'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
