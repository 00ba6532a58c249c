import { CloudServerOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import type { importCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/use-me.ts';
import { ExpiryMark } from '../../parts/expiry-mark.tsx';
import { faultText } from '../../parts/fault-text.ts';
import { PageHead } from '../../parts/page-head.tsx';

export interface ImportedPanelProps {
  readonly organizationId: string;
  readonly imported: AnswerOf<typeof importCertificate>;
  readonly onMore: () => void;
}

/** What was imported, what deserves a look, and what comes next. */
export function ImportedPanel({ organizationId, imported, onMore }: ImportedPanelProps) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organizationId, certificateId: imported.id };
  return (
    <>
      <PageHead
        title={t('certificates.import.done')}
        lead={t('certificates.import.doneLead', { number: imported.number })}
      />
      <div className="panel stack" style={{ maxWidth: 760 }}>
        <dl className="facts">
          <div>
            <dt>{t('certificates.columns.domains')}</dt>
            <dd>{imported.domains.join(', ')}</dd>
          </div>
          <div>
            <dt>{t('certificates.columns.expires')}</dt>
            <dd>
              <ExpiryMark at={imported.expires_at} />
            </dd>
          </div>
        </dl>
        {imported.warnings.map((warning) => (
          <Alert
            key={warning.message}
            type="warning"
            showIcon
            title={faultText(i18n, 'certificateFaults.*', warning)}
          />
        ))}
        <div className="row">
          {may(createDeployment) && (
            <Button
              type="primary"
              icon={<CloudServerOutlined />}
              onClick={() => void navigate({ to: '/o/$organizationId/certificates/$certificateId/deploy', params })}
            >
              {t('certificates.import.deployNext')}
            </Button>
          )}
          <Button onClick={() => void navigate({ to: '/o/$organizationId/certificates/$certificateId', params })}>
            {t('certificates.import.show')}
          </Button>
          <Button onClick={onMore}>{t('certificates.import.more')}</Button>
        </div>
      </div>
    </>
  );
}
