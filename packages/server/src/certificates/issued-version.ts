import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { Problem } from '../runtime/problem.ts';

/** @throws Problem `conflict` for a certificate that gets no other version */
export function requireIssued({ id, state }: Pick<CertificateRow, 'id' | 'state'>): void {
  if (state === 'issued') return;
  throw new Problem('conflict', {
    field: 'certificate',
    reason: 'certificate_not_issued',
    detail: `Certificate ${id} is ${state}: only an issued one can get another version.`,
  });
}

/** @throws Problem `conflict` for a version that no server may get */
export function requireIssuedVersion({ id, state }: Pick<CertificateVersionRow, 'id' | 'state'>): void {
  if (state === 'issued') return;
  throw new Problem('conflict', {
    field: 'version',
    reason: 'version_not_issued',
    detail: `Version ${id} is revoked, so no server may get it. "certificate versions" shows the others.`,
  });
}
