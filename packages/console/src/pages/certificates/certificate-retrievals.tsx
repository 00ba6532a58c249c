import type { showCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { listCertificateRetrievals } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { RetrievalTable } from '../deployments/retrieval-table.tsx';

export interface CertificateRetrievalsProps {
  readonly organizationId: string;
  readonly certificate: Pick<AnswerOf<typeof showCertificate>, 'id' | 'versions'>;
}

/** Who fetched what and when, over all deployments of a certificate. */
export function CertificateRetrievals({ organizationId, certificate }: CertificateRetrievalsProps) {
  return (
    <RetrievalTable
      organizationId={organizationId}
      operation={listCertificateRetrievals}
      params={{ organization_id: organizationId, certificate_id: certificate.id }}
      versions={certificate.versions}
    />
  );
}
