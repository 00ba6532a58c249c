import { updateMessagingKey } from '@waxwing/contract/management-api/messaging-key-operations.ts';
import { Form, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { MessagingKey } from '../../api/shown-things.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { TimeField } from '../../parts/time-field.tsx';
import { KeyNameAndAddresses } from './key-name-and-addresses.tsx';

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
  const [form] = Form.useForm<Values>();
  const updating = useChange(updateMessagingKey);
  // What is shown behind may go on; what is edited is what it was when it was opened.
  const [openedAs] = useState({ messagingKey, etag });
  const { organization_id, id, name, allow, expires_at } = openedAs.messagingKey;
  return (
    <Modal
      open
      width={620}
      title={t('messaging.keys.edit')}
      okText={t('common.save')}
      cancelText={t('common.cancel')}
      confirmLoading={updating.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <Form<Values>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ name, allow: [...allow], expires_at }}
        onFinish={(values) =>
          updating.mutate(
            {
              params: { organization_id, messaging_key_id: id },
              body: { ...values, name: values.name.trim() },
              ifMatch: openedAs.etag,
            },
            { onSuccess: onEnd },
          )
        }
      >
        <div className="stack">
          {updating.error !== null && <ProblemAlert error={updating.error} />}
          <KeyNameAndAddresses organizationId={organization_id} />
          <Form.Item name="expires_at" label={t('messaging.keys.expires')} extra={t('messaging.keys.expiresHint')}>
            <TimeField label={t('messaging.keys.expires')} />
          </Form.Item>
        </div>
      </Form>
    </Modal>
  );
}
