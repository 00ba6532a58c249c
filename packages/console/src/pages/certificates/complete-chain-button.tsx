import { CloudDownloadOutlined } from '@ant-design/icons';
import { completeChain } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import { faultText } from '../../parts/text/fault-text.ts';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

interface CompleteChainButtonProps {
  readonly organizationId: string;
  readonly certificateId: string;
}

/** Fetches missing certificates from the URLs in the chain. The longer chain becomes the current version. */
export function CompleteChainButton({ organizationId, certificateId }: CompleteChainButtonProps) {
  const { t, i18n } = useTranslation();
  const completing = useChange(completeChain, ['deployments']);
  const faults = completing.error === null ? [] : toApiProblem(completing.error).faults;
  return (
    <div className="stack tight">
      <div>
        <Button
          type="primary"
          icon={<CloudDownloadOutlined />}
          loading={completing.isPending}
          onClick={() =>
            completing.mutate({ params: { organization_id: organizationId, certificate_id: certificateId } })
          }
        >
          {t('certificates.chain.complete')}
        </Button>
      </div>
      {faults.map((fault) => (
        <strong key={fault.message} role="alert" className="break-anywhere">
          {faultText(i18n, 'certificateFaults.*', fault)}
        </strong>
      ))}
      {faults.length === 0 && <ProblemAlert error={completing.error} />}
    </div>
  );
}
