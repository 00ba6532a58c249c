import { CloudServerOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { importCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/use-me.ts';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { PageHead } from '../../parts/text/page-head.tsx';

const primary = { type: 'primary' } as const;

interface ImportedPanelProps {
  readonly organizationId: string;
  readonly imported: AnswerOf<typeof importCertificate>;
  readonly onMore: () => void;
}

export function ImportedPanel({ organizationId, imported, onMore }: ImportedPanelProps) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organizationId, certificateId: imported.id };
  // A new version goes to the servers by itself. The certificate's page shows how far it has come.
  const isNew = imported.number === 1;
  return (
    <>
      <PageHead
        title={t('certificates.import.done')}
        lead={t('certificates.import.doneLead', { number: imported.number })}
      />
      <div className="panel stack" style={{ maxWidth: 760 }}>
        <dl className="facts">
          <Fact name={t('certificates.columns.domains')}>{imported.domains.join(', ')}</Fact>
          <Fact name={t('common.expires')}>
            <ExpiryMark at={imported.expires_at} />
          </Fact>
        </dl>
        {imported.warnings.map((warning) => (
          <Alert
            key={warning.message}
            type={warning.code === 'missing_intermediate' ? 'error' : 'warning'}
            showIcon
            title={faultText(i18n, 'certificateFaults.*', warning)}
          />
        ))}
        <div className="row">
          {may(createDeployment) && (
            <Button
              {...(isNew && primary)}
              icon={<CloudServerOutlined />}
              onClick={() => void navigate({ to: '/o/$organizationId/certificates/$certificateId/deploy', params })}
            >
              {t('certificates.import.deployNext')}
            </Button>
          )}
          <Button
            {...(!isNew && primary)}
            onClick={() => void navigate({ to: '/o/$organizationId/certificates/$certificateId', params })}
          >
            {t('certificates.import.show')}
          </Button>
          <Button onClick={onMore}>{t('certificates.import.more')}</Button>
        </div>
      </div>
    </>
  );
}
