import { updateMessagingKey } from '@waxwing/contract/management-api/messaging-key-operations.ts';
import { Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { MessagingKey } from '../../api/shown-things.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { TimeField } from '../../parts/time-field.tsx';
import { MessagingKeyFields } from './messaging-key-fields.tsx';

export interface EditMessagingKeyModalProps {
  readonly messagingKey: MessagingKey;
  readonly etag: string;
  readonly onEnd: () => void;
}

interface Values {
  readonly name: string;
  readonly allow: string[];
  readonly expires_at: string | null;
}

export function EditMessagingKeyModal({ messagingKey, etag, onEnd }: EditMessagingKeyModalProps) {
  const { t } = useTranslation();
  const updating = useChange(updateMessagingKey);
  const [openedAs] = useState(etag);
  const { organization_id, id, name, allow, expires_at } = messagingKey;
  const params = { organization_id, messaging_key_id: id };
  return (
    <FormModal<Values>
      title={t('messaging.keys.edit')}
      width={620}
      initialValues={{ name, allow: [...allow], expires_at }}
      saving={updating}
      onSave={(values) =>
        updating.mutate(
          { params, body: { ...values, name: values.name.trim() }, ifMatch: openedAs },
          { onSuccess: onEnd },
        )
      }
      onEnd={onEnd}
    >
      <MessagingKeyFields organizationId={organization_id} />
      <Form.Item name="expires_at" label={t('messaging.keys.expires')} extra={t('messaging.keys.expiresHint')}>
        <TimeField label={t('messaging.keys.expires')} />
      </Form.Item>
    </FormModal>
  );
}
