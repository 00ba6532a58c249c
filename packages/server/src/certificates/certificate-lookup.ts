import type { Database, Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { absent, Problem } from '../runtime/problem.ts';
import { someDomainHas } from './certificate.ts';
import {
  findCertificate,
  findCertificateNames,
  findCurrentDomains,
  findVersion,
  lockCertificate,
} from './certificate-store.ts';

/** The facts about a certificate that other domains need before they refer to it. */
interface KnownCertificate {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Whether retrieval can answer: issued, and the current version not revoked. */
  readonly retrievable: boolean;
  /** For people, when it is not retrievable: `pending`, `failed`, `revoked`. */
  readonly state: CertificateRow['state'];
}

/** @throws Problem `not_found`, naming `field`. */
export async function getKnownCertificate(db: Db, id: string, field: string): Promise<KnownCertificate> {
  const row = await getCertificateRow(db, id, field);
  const current = row.current_version === null ? undefined : await findVersion(db, row, row.current_version);
  const revoked = current?.state === 'revoked';
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    retrievable: row.state === 'issued' && current !== undefined && !revoked,
    state: revoked ? 'revoked' : row.state,
  };
}

/** By id. */
export function namesOfCertificates(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findCertificateNames(db, ids);
}

/** Which of these certificates have `wanted`, in lower case, inside a domain of their current version. */
export async function certificatesWithDomain(
  db: Db,
  ids: readonly string[],
  wanted: string,
): Promise<ReadonlySet<string>> {
  const rows = await findCurrentDomains(db, ids);
  return new Set(rows.flatMap(({ certificate_id, domains }) => (someDomainHas(domains, wanted) ? certificate_id : [])));
}

/** @throws Problem `not_found`, naming `field`. */
export async function getCertificateRow(db: Db, id: string, field = 'certificate'): Promise<CertificateRow> {
  return (await findCertificate(db, id)) ?? absent('certificate', id, field);
}

/**
 * The row, locked until the transaction ends: nobody deletes the certificate while something is made of it.
 * @throws Problem `not_found`, naming `certificate`
 */
export async function requireCertificate(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  id: string,
): Promise<CertificateRow> {
  return (await lockCertificate(trx, database, id)) ?? absent('certificate', id);
}

/** A version by its id, or the current one. @throws Problem `not_found`, naming `version` */
export async function getVersionRow(
  db: Db,
  certificate: CertificateRow,
  versionId: string | undefined,
): Promise<CertificateVersionRow> {
  const wanted = versionId ?? certificate.current_version;
  const row = wanted === null ? undefined : await findVersion(db, certificate, wanted);
  if (row !== undefined) return row;
  throw new Problem('not_found', {
    field: 'version',
    detail: `Certificate ${certificate.id} has no ${versionId === undefined ? 'version yet' : `version ${versionId}`}.`,
  });
}
