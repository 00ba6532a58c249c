import { DeleteOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import { deleteDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

export interface DeleteDeploymentButtonProps {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly name: string;
}

export function DeleteDeploymentButton({ organizationId, deploymentId, name }: DeleteDeploymentButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const deleting = useChange(deleteDeployment);
  return (
    <>
      <Button danger icon={<DeleteOutlined />} onClick={() => setOpen(true)}>
        {t('deployments.delete.button')}
      </Button>
      {isOpen && (
        <Modal
          open
          width={460}
          title={t('deployments.delete.title', { name })}
          okText={t('deployments.delete.button')}
          okButtonProps={{ danger: true }}
          confirmLoading={deleting.isPending}
          onOk={() =>
            deleting.mutate(
              { params: { organization_id: organizationId, deployment_id: deploymentId } },
              {
                onSuccess: () =>
                  void navigate({ to: '/o/$organizationId/deployments', params: { organizationId }, replace: true }),
              },
            )
          }
          onCancel={() => setOpen(false)}
          afterClose={deleting.reset}
        >
          <div className="stack">
            <p>{t('deployments.delete.what')}</p>
            {deleting.error !== null && <ProblemAlert error={deleting.error} />}
          </div>
        </Modal>
      )}
    </>
  );
}
