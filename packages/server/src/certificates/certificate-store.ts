import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { lockingRows } from '../database/row-lock.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { type Found, searchBounded } from '../database/sql/bounded-search.ts';
import { type CertificateSummary, someDomainHas } from './certificate.ts';
import { forgetNames } from './certificate-name-store.ts';

export async function insertCertificate(db: Db, row: CertificateRow): Promise<void> {
  await db.insertInto('certificate').values(row).execute();
}

export async function insertVersion(db: Db, row: CertificateVersionRow): Promise<void> {
  await db.insertInto('certificate_version').values(row).execute();
}

export async function findCertificate(db: Db, id: string): Promise<CertificateRow | undefined> {
  return db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findCertificates(db: Db, ids: readonly string[]): Promise<CertificateRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('certificate').selectAll().where('id', 'in', ids).execute();
}

/** Locks the row until the transaction ends: nobody deletes the certificate while something is made of it. */
export async function lockCertificate(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<CertificateRow | undefined> {
  return trx
    .selectFrom('certificate')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, 'certificate'))
    .executeTakeFirst();
}

export async function setCertificateName(
  trx: Db,
  certificate: { organization_id: string; id: string },
  name: string,
  at: number,
): Promise<void> {
  await trx
    .updateTable('certificate')
    .set({ name, updated_at: at })
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .execute();
}

/** With all its versions, and so with its sealed private keys. */
export async function deleteCertificate(trx: Db, certificate: { organization_id: string; id: string }): Promise<void> {
  const { organization_id: organizationId, id } = certificate;
  await trx
    .deleteFrom('certificate_version')
    .where('organization_id', '=', organizationId)
    .where('certificate_id', '=', id)
    .execute();
  await forgetNames(trx, id);
  await trx.deleteFrom('certificate').where('organization_id', '=', organizationId).where('id', '=', id).execute();
}

/** Takes the next number for a version, which becomes the current one. @param certificate locked */
export async function advanceVersion(
  trx: Db,
  certificate: { organization_id: string; id: string },
  versionId: string,
  at: number,
): Promise<CertificateRow> {
  return trx
    .updateTable('certificate')
    .set((expression) => ({
      former_version: expression.ref('current_version'),
      current_version: versionId,
      current_since: at,
      versions: expression('versions', '+', 1),
      updated_at: at,
    }))
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Makes another version the current one. The one that it replaces is the one before. */
export async function setCurrentVersion(
  trx: Db,
  certificate: { organization_id: string; id: string },
  versionId: string,
  at: number,
): Promise<void> {
  await trx
    .updateTable('certificate')
    .set((expression) => ({
      former_version: expression.ref('current_version'),
      current_version: versionId,
      current_since: at,
      updated_at: at,
    }))
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .execute();
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
  if (result.numUpdatedRows === 0n) return false;
  await forgetNames(trx, certificate.id);
  return true;
}

/** Its first version is there. */
export async function setCertificateIssued(
  trx: Db,
  certificate: { organization_id: string; id: string },
  at: number,
): Promise<void> {
  await setUnissuedState(trx, certificate, 'issued', at);
}

/** Changes the state of a certificate that has not been issued. */
export async function setUnissuedState(
  trx: Db,
  certificate: { organization_id: string; id: string },
  state: 'pending' | 'failed' | 'issued',
  at: number,
): Promise<void> {
  await trx
    .updateTable('certificate')
    .set({ state, updated_at: at })
    .where('organization_id', '=', certificate.organization_id)
    .where('id', '=', certificate.id)
    .where('state', 'in', ['pending', 'failed'])
    .execute();
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

/** The remarks on a version, and the root on which they rest. */
export async function setJudgement(
  db: Db,
  version: Pick<CertificateVersionRow, 'organization_id' | 'certificate_id' | 'id'>,
  judgement: Pick<CertificateVersionRow, 'remarks' | 'given_root'>,
): Promise<void> {
  await db
    .updateTable('certificate_version')
    .set(judgement)
    .where('organization_id', '=', version.organization_id)
    .where('certificate_id', '=', version.certificate_id)
    .where('id', '=', version.id)
    .execute();
}

export type JudgedVersionRow = Pick<
  CertificateVersionRow,
  'organization_id' | 'certificate_id' | 'id' | 'chain' | 'remarks' | 'given_root'
>;

/** Replaces what was to be said of a version, unless the row has been judged meanwhile. @param version as it was read */
export async function replaceRemarks(db: Db, version: JudgedVersionRow, remarks: string): Promise<void> {
  await db
    .updateTable('certificate_version')
    .set({ remarks })
    .where('organization_id', '=', version.organization_id)
    .where('certificate_id', '=', version.certificate_id)
    .where('id', '=', version.id)
    .where('remarks', 'is not distinct from', version.remarks)
    .where('given_root', 'is not distinct from', version.given_root)
    .execute();
}

/** The current versions of issued certificates, in the order of these. @param after goes on after this certificate */
export async function listChains(
  { db, lookUp }: Pick<Database, 'db' | 'lookUp'>,
  after: string,
  limit: number,
): Promise<readonly JudgedVersionRow[]> {
  const certificates = sql`(
    select organization_id, id, current_version from certificate
    where id > ${after} and state = 'issued' order by id limit ${limit}) as page`;
  const current = sql`v.organization_id = page.organization_id and v.certificate_id = page.id and v.id = page.current_version`;
  const { rows } = await sql<JudgedVersionRow>`
    select v.organization_id, v.certificate_id, v.id, v.chain, v.remarks, v.given_root
    from ${lookUp.join(certificates, 'certificate_version', 'v', current)} order by page.id`.execute(db);
  return rows;
}

export interface VersionFilter {
  /** Only lower numbers. */
  readonly before?: number;
  readonly limit: number;
}

/** A version without its sealed key, its chain and the root that was given with it. */
export type ListedVersionRow = Omit<CertificateVersionRow, 'sealed_key' | 'chain' | 'given_root'>;

/** Newest first. */
export async function listVersions(
  db: Db,
  certificate: { organization_id: string; id: string },
  { before, limit }: VersionFilter,
): Promise<ListedVersionRow[]> {
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
      'remarks',
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

/** By the id alone: for the whole key SQLite would try every organization with every certificate. */
export async function findVersions(db: Db, ids: readonly string[]): Promise<CertificateVersionRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('certificate_version').selectAll().where('id', 'in', ids).execute();
}

export interface CertificateFilter {
  readonly organizationId?: string;
  readonly state?: CertificateRow['state'];
  /** Epoch milliseconds. Only certificates that expire before. */
  readonly expiresBefore?: number;
  /** Only ids after this one. */
  readonly after?: string;
  readonly limit: number;
}

/** In the order of creation. */
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
      'certificate_version.remarks',
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

/** This much text of domains costs as much to read as the rest of a row. */
const domainsPerCost = 4_096;
const searchedAtOnce = 200;

/** Searches names and domains of a bounded number of rows. `like` in the database is slow for some texts. */
export async function searchCertificates(
  db: Db,
  filter: CertificateFilter,
  search: string,
): Promise<Found<CertificateSummary>> {
  const wanted = search.toLowerCase();
  return searchBounded<CertificateSummary>({
    read: (last, limit) => listCertificates(db, { ...filter, limit, ...(last !== undefined && { after: last.id }) }),
    wanted: ({ name, domains }) => name.toLowerCase().includes(wanted) || someDomainHas(domains ?? '', wanted),
    take: filter.limit,
    cost: ({ domains }) => 1 + Math.floor((domains?.length ?? 0) / domainsPerCost),
    atOnce: searchedAtOnce,
  });
}

/** With their current versions, of any organization. */
export async function findCurrentVersions(
  db: Db,
  ids: readonly string[],
): Promise<{ certificate: CertificateRow; current: CertificateVersionRow | undefined }[]> {
  const certificates = await findCertificates(db, ids);
  const wanted = certificates.flatMap((row) => (row.current_version === null ? [] : [row.current_version]));
  const byId = new Map((await findVersions(db, wanted)).map((version) => [version.id, version]));
  return certificates.map((certificate) => ({
    certificate,
    current: certificate.current_version === null ? undefined : byId.get(certificate.current_version),
  }));
}

export async function findCertificateNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('certificate').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The current versions' domains, each a JSON list. */
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

/** The order keeps two rotations from a deadlock. Two ranges, because "not equal" would pass over finished rows. */
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

/** Replaces a sealed key by the same key sealed anew, unless the row has changed. */
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

/** Ids of the master keys in use. By index: "distinct" would read every version inside the rotation's transaction. */
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

/** In the order of version ids, after `after`. */
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
