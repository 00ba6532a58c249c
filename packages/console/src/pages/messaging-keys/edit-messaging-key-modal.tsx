import {
  showMessagingKey,
  updateMessagingKey,
} from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TimeField } from '../../parts/forms/time-field.tsx';
import { MessagingKeyFields } from './messaging-key-fields.tsx';

interface EditMessagingKeyModalProps {
  readonly organizationId: string;
  readonly messagingKeyId: string;
  readonly onEnd: () => void;
}

interface Values {
  readonly name: string;
  readonly allow: string[];
  readonly expires_at: string | null;
}

export function EditMessagingKeyModal({ organizationId, messagingKeyId, onEnd }: EditMessagingKeyModalProps) {
  const { t } = useTranslation();
  const params = { organization_id: organizationId, messaging_key_id: messagingKeyId };
  const { opened, form, save } = useEdit(showMessagingKey, updateMessagingKey, { params });
  const was = opened?.value;
  return (
    <FormModal<Values>
      title={t('common.edit')}
      width={620}
      {...form}
      initialValues={was && { name: was.name, allow: [...was.allow], expires_at: was.expires_at }}
      onSave={({ name, allow, expires_at }) => save({ body: { name: name.trim(), allow, expires_at } }, onEnd)}
      onEnd={onEnd}
    >
      <MessagingKeyFields organizationId={organizationId} />
      <Form.Item name="expires_at" label={t('common.expires')} extra={t('messaging.keys.expiresHint')}>
        <TimeField label={t('common.expires')} />
      </Form.Item>
    </FormModal>
  );
}
