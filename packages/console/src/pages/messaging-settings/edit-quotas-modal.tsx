import {
  showMessagingSettings,
  updateQuotas,
} from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import { Form, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';

interface Quotas {
  readonly messages_per_second: number | null;
  readonly messages_per_day: number | null;
}

interface EditQuotasModalProps {
  readonly title: string;
  readonly organizationId: string;
  readonly onEnd: () => void;
}

const fields = [
  { name: 'messages_per_second', text: 'perSecond', most: 1_000_000 },
  { name: 'messages_per_day', text: 'perDay', most: 1_000_000_000_000 },
] as const;

/** What an organization may send: for operators. */
export function EditQuotasModal({ title, organizationId, onEnd }: EditQuotasModalProps) {
  const { t } = useTranslation();
  const params = { organization_id: organizationId };
  const { opened, form, save } = useEdit(showMessagingSettings, updateQuotas, { params });
  return (
    <FormModal<Quotas>
      title={title}
      name="quotas"
      width={480}
      {...form}
      initialValues={
        opened && {
          messages_per_second: opened.value.messages_per_second,
          messages_per_day: opened.value.messages_per_day,
        }
      }
      onSave={(body) => save({ body }, onEnd)}
      onEnd={onEnd}
    >
      {fields.map(({ name, text, most }) => (
        <Form.Item
          key={name}
          name={name}
          label={t(`messaging.settings.${text}`)}
          extra={`${t(`messaging.settings.${text}Hint`)} ${t('deployments.requestsPerMinuteHint')}`}
        >
          <InputNumber min={1} max={most} precision={0} style={{ width: 220 }} />
        </Form.Item>
      ))}
    </FormModal>
  );
}
