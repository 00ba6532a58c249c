import { updateQuotas } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import { Form, InputNumber } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/form-modal.tsx';

interface Quotas {
  readonly messages_per_second: number | null;
  readonly messages_per_day: number | null;
}

export interface EditQuotasModalProps {
  readonly title: string;
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
export function EditQuotasModal({ title, organizationId, quotas, etag, onEnd }: EditQuotasModalProps) {
  const { t } = useTranslation();
  const updating = useChange(updateQuotas);
  const [openedAs] = useState(etag);
  const { messages_per_second, messages_per_day } = quotas;
  return (
    <FormModal<Quotas>
      title={title}
      name="quotas"
      width={480}
      initialValues={{ messages_per_second, messages_per_day }}
      saving={updating}
      onSave={(body) =>
        updating.mutate({ params: { organization_id: organizationId }, body, ifMatch: openedAs }, { onSuccess: onEnd })
      }
      onEnd={onEnd}
    >
      {fields.map(({ name, text, most }) => (
        <Form.Item
          key={name}
          name={name}
          label={t(`messaging.settings.${text}`)}
          extra={`${t(`messaging.settings.${text}Hint`)} ${t('messaging.settings.quotasEmpty')}`}
          style={{ marginBlockEnd: 0 }}
        >
          <InputNumber min={1} max={most} precision={0} style={{ width: 220 }} />
        </Form.Item>
      ))}
    </FormModal>
  );
}
