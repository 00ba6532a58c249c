import { rotateDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { RotateTokenButton } from '../../parts/rotate-token-button.tsx';
import { TokenPanel } from './token-panel.tsx';

export function RotateButton({ organizationId, deploymentId }: { organizationId: string; deploymentId: string }) {
  const { t } = useTranslation();
  const rotating = useChange(rotateDeployment);
  const params = { organization_id: organizationId, deployment_id: deploymentId };
  return (
    <RotateTokenButton
      rotation={rotating}
      onRotate={(overlap) => rotating.mutate({ params, body: { overlap_seconds: overlap } })}
      what={t('deployments.rotate.what')}
      panel={({ token, url }) => <TokenPanel token={token} url={url} />}
    />
  );
}
