import { updateQuotas } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import { Form, InputNumber, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

interface Quotas {
  readonly messages_per_second: number | null;
  readonly messages_per_day: number | null;
}

export interface EditQuotasModalProps {
  readonly organizationId: string;
  readonly quotas: Quotas;
  readonly etag: string;
  readonly onEnd: () => void;
}

const fields = [
  { name: 'messages_per_second', text: 'perSecond', most: 1_000_000 },
  { name: 'messages_per_day', text: 'perDay', most: 1_000_000_000_000 },
] as const;

/** What an organization may send: for operators. */
export function EditQuotasModal({ organizationId, quotas, etag, onEnd }: EditQuotasModalProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Quotas>();
  const updating = useChange(updateQuotas);
  // What is shown behind may go on; what is edited is what it was when it was opened.
  const [openedAs] = useState({ quotas, etag });
  const { messages_per_second, messages_per_day } = openedAs.quotas;
  return (
    <Modal
      open
      width={480}
      title={t('messaging.settings.edit')}
      okText={t('common.save')}
      cancelText={t('common.cancel')}
      confirmLoading={updating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <Form<Quotas>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ messages_per_second, messages_per_day }}
        onFinish={(body) =>
          updating.mutate(
            { params: { organization_id: organizationId }, body, ifMatch: openedAs.etag },
            { onSuccess: onEnd },
          )
        }
      >
        {updating.error !== null && (
          <Form.Item>
            <ProblemAlert error={updating.error} />
          </Form.Item>
        )}
        {fields.map(({ name, text, most }) => (
          <Form.Item
            key={name}
            name={name}
            label={t(`messaging.settings.${text}`)}
            extra={`${t(`messaging.settings.${text}Hint`)} ${t('messaging.settings.quotasEmpty')}`}
          >
            <InputNumber min={1} max={most} precision={0} style={{ width: 220 }} />
          </Form.Item>
        ))}
      </Form>
    </Modal>
  );
}
