import { updateDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Form, Input, InputNumber, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Deployment } from '../../api/shown-things.ts';
import { AllowListField } from '../../parts/allow-list-field.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

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
  const [form] = Form.useForm<Values>();
  const updating = useChange(updateDeployment);
  // What is shown behind may go on; what is edited is what it was when it was opened.
  const [openedAs] = useState({ deployment, etag });
  const { name, allow, requests_per_minute } = openedAs.deployment;

  return (
    <Modal
      open
      width={620}
      title={t('deployments.edit')}
      okText={t('common.save')}
      confirmLoading={updating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <Form<Values>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ name, allow: [...allow], requests_per_minute }}
        onFinish={(values) =>
          updating.mutate(
            {
              params: { organization_id: organizationId, deployment_id: deployment.id },
              body: { ...values, name: values.name.trim() },
              ifMatch: openedAs.etag,
            },
            { onSuccess: onEnd },
          )
        }
      >
        <div className="stack">
          {updating.error !== null && <ProblemAlert error={updating.error} />}
          <Form.Item
            name="name"
            label={t('deployments.name')}
            rules={[{ required: true, whitespace: true, message: t('common.required') }]}
            style={{ marginBlockEnd: 0 }}
          >
            <Input maxLength={200} />
          </Form.Item>
          <Form.Item
            name="allow"
            label={t('deployments.allowList')}
            extra={t('deployments.allowListHint')}
            style={{ marginBlockEnd: 0 }}
          >
            <AllowListField
              organizationId={organizationId}
              warnings={{ empty: t('deployments.emptyAllowList'), open: t('deployments.openAllowList') }}
            />
          </Form.Item>
          <Form.Item
            name="requests_per_minute"
            label={t('deployments.requestsPerMinute')}
            extra={t('deployments.requestsPerMinuteHint')}
          >
            <InputNumber min={1} max={1_000_000} precision={0} style={{ width: 180 }} />
          </Form.Item>
        </div>
      </Form>
    </Modal>
  );
}
