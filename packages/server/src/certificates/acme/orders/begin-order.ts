import { createHash } from 'node:crypto';
import { readCertificates } from '@waxwing/pki/x509.ts';
import type { Db } from '../../../database/database.ts';
import type { AcmeOrderRow, CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import { newId } from '../../../runtime/clock.ts';
import { findVersion } from '../../certificate-store.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { updateRequest } from '../requests/request-store.ts';
import { orderSpacingMs } from './next-step.ts';
import { deleteFruitlessOrders, findOrderOfVersion, insertOrder } from './order-store.ts';

/** The same for the same names in any order. */
export function hashOfNames(domains: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(domains.toSorted())).digest('base64url');
}

export function namesOf({ domains }: Pick<CertificateRequestRow, 'domains'>): readonly string[] {
  return JSON.parse(domains) as string[];
}

export function authoritiesOf({ authorities }: Pick<CertificateRequestRow, 'authorities'>): readonly string[] {
  return JSON.parse(authorities) as string[];
}

/** The authority that is asked next. */
export function authorityOf(request: Pick<CertificateRequestRow, 'authorities' | 'authority_index'>): string {
  const ids = authoritiesOf(request);
  return ids[request.authority_index % ids.length] ?? '';
}

/** Writes an order that begins now. @param certificate locked, without an order under way */
export async function beginOrder(
  trx: Db,
  parts: Pick<AcmeParts, 'renewalId'>,
  certificate: CertificateRow,
  request: CertificateRequestRow,
  now: number,
): Promise<AcmeOrderRow> {
  const authority = authorityOf(request);
  await deleteFruitlessOrders(trx, certificate.id, now - orderSpacingMs);
  const row: AcmeOrderRow = {
    organization_id: certificate.organization_id,
    id: newId(now),
    certificate_id: certificate.id,
    authority_id: authority,
    purpose: certificate.current_version === null ? 'first' : 'renewal',
    ...{ step: 'delegate', revision: 0, names_hash: hashOfNames(namesOf(request)) },
    ...{ url: null, finalize: null, certificate_url: null, sealed_key: null, key_id: null },
    replaces: await replacedId(trx, parts, certificate, authority),
    ...{
      intent_at: null,
      next_at: now,
      attempts: 0,
      step_since: now,
      failure: null,
      waits_for: null,
      version_id: null,
    },
    ...{ looked_at: null, missing: null },
    ...{ revoke_at: null, revoke_attempts: 0, created_at: now, updated_at: now, ended_at: null },
  };
  await insertOrder(trx, row);
  await updateRequest(trx, certificate.id, { next_at: null, order_id: row.id, updated_at: now });
  return row;
}

/** The ARI id of the current version, where the same authority issued it. */
async function replacedId(
  trx: Db,
  parts: Pick<AcmeParts, 'renewalId'>,
  certificate: CertificateRow,
  authorityId: string,
): Promise<string | null> {
  if (certificate.current_version === null) return null;
  const version = await findVersion(trx, certificate, certificate.current_version);
  const former = version === undefined ? undefined : await findOrderOfVersion(trx, version);
  if (former?.authority_id !== authorityId) return null;
  const [leaf] = version === undefined ? [] : readCertificates(version.chain);
  return leaf === undefined ? null : (parts.renewalId(leaf.der) ?? null);
}
