import { showDeployment, updateDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Form, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { DeploymentFields } from './deployment-fields.tsx';

interface EditDeploymentModalProps {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly onEnd: () => void;
}

interface Values {
  readonly name: string;
  readonly allow: string[];
  readonly requests_per_minute: number | null;
}

export function EditDeploymentModal({ organizationId, deploymentId, onEnd }: EditDeploymentModalProps) {
  const { t } = useTranslation();
  const params = { organization_id: organizationId, deployment_id: deploymentId };
  const { opened, form, save } = useEdit(showDeployment, updateDeployment, { params });
  const was = opened?.value;

  return (
    <FormModal<Values>
      title={t('common.edit')}
      width={620}
      {...form}
      initialValues={was && { name: was.name, allow: [...was.allow], requests_per_minute: was.requests_per_minute }}
      onSave={({ name, allow, requests_per_minute }) =>
        save({ body: { name: name.trim(), allow, requests_per_minute } }, onEnd)
      }
      onEnd={onEnd}
    >
      <DeploymentFields organizationId={organizationId} />
      <Form.Item
        name="requests_per_minute"
        label={t('deployments.requestsPerMinute')}
        extra={t('deployments.requestsPerMinuteHint')}
      >
        <InputNumber min={1} max={1_000_000} precision={0} style={{ width: 180 }} />
      </Form.Item>
    </FormModal>
  );
}
