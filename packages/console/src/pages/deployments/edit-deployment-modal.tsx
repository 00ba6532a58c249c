import { updateDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Form, InputNumber } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Deployment } from '../../api/shown-things.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { DeploymentFields } from './deployment-fields.tsx';

export interface EditDeploymentModalProps {
  readonly organizationId: string;
  readonly deployment: Deployment;
  readonly etag: string;
  readonly onEnd: () => void;
}

interface Values {
  readonly name: string;
  readonly allow: string[];
  readonly requests_per_minute: number | null;
}

export function EditDeploymentModal({ organizationId, deployment, etag, onEnd }: EditDeploymentModalProps) {
  const { t } = useTranslation();
  const updating = useChange(updateDeployment);
  const [openedAs] = useState(etag);
  const { id, name, allow, requests_per_minute } = deployment;
  const params = { organization_id: organizationId, deployment_id: id };

  return (
    <FormModal<Values>
      title={t('deployments.edit')}
      width={620}
      initialValues={{ name, allow: [...allow], requests_per_minute }}
      saving={updating}
      onSave={(values) =>
        updating.mutate(
          { params, body: { ...values, name: values.name.trim() }, ifMatch: openedAs },
          { onSuccess: onEnd },
        )
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
