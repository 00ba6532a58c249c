import type { showCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { listDeployments } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { RetrievalTable } from '../deployments/retrieval-table.tsx';

export interface CertificateRetrievalsProps {
  readonly organizationId: string;
  readonly certificate: Pick<AnswerOf<typeof showCertificate>, 'id' | 'versions'>;
}

/** Who fetched what and when, deployment by deployment. */
export function CertificateRetrievals({ organizationId, certificate }: CertificateRetrievalsProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const deployments = usePages(listDeployments, {
    params: { organization_id: organizationId },
    query: { certificate_id: certificate.id },
  });
  if (deployments.error !== null) return <ProblemAlert error={deployments.error} />;
  const items = deployments.items ?? [];
  const shown = chosen ?? items[0]?.id;
  if (shown === undefined) {
    return deployments.isPending ? null : (
      <EmptyState title={t('certificates.notDeployed')}>{t('certificates.notDeployedLead')}</EmptyState>
    );
  }
  return (
    <div className="stack">
      <div className="row">
        <label htmlFor="retrieving-deployment">{t('deployments.one')}</label>
        <Select
          id="retrieving-deployment"
          style={{ minWidth: 240 }}
          value={shown}
          options={items.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setChosen}
          onPopupScroll={() => {
            if (deployments.hasNextPage) void deployments.fetchNextPage();
          }}
        />
      </div>
      <RetrievalTable organizationId={organizationId} deploymentId={shown} versions={certificate.versions} />
    </div>
  );
}
