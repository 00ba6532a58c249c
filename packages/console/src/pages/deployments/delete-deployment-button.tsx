import { DeleteOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import { deleteDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

export interface DeleteDeploymentButtonProps {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly name: string;
}

export function DeleteDeploymentButton({ organizationId, deploymentId, name }: DeleteDeploymentButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const deleting = useChange(deleteDeployment);
  return (
    <ConfirmButton
      danger
      icon={<DeleteOutlined />}
      text={t('deployments.delete.button')}
      title={t('deployments.delete.title', { name })}
      what={t('deployments.delete.what')}
      change={deleting}
      input={{ params: { organization_id: organizationId, deployment_id: deploymentId } }}
      onDone={() => void navigate({ to: '/o/$organizationId/deployments', params: { organizationId }, replace: true })}
    />
  );
}
