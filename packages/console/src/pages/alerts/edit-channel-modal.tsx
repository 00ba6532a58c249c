import { Checkbox, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import type { AlertChannel, AlertScope } from './alert-scope.ts';
import { ChannelFields, type ChannelValues, isUrlFault } from './channel-fields.tsx';

interface EditChannelModalProps {
  readonly scope: AlertScope;
  readonly channel: Pick<AlertChannel, 'id' | 'kind'>;
  readonly onEnd: () => void;
}

/** Changes an alert channel as it is at the moment of opening. */
export function EditChannelModal({ scope, channel: { id, kind }, onEnd }: EditChannelModalProps) {
  const { t } = useTranslation();
  const { show, update } = scope.operations;
  const { opened, form, save } = useEdit(show, update, { params: { ...scope.params, alert_channel_id: id } });
  const was = opened?.value;
  const { error } = form.saving;
  return (
    <FormModal<ChannelValues & { unsigned?: boolean }>
      title={was === undefined ? t('common.edit') : t('alertChannels.edit', { name: was.name })}
      name="edit-channel"
      width={560}
      {...form}
      saving={{ ...form.saving, error: isUrlFault(error) ? null : error }}
      initialValues={was && { name: was.name, ...(kind === 'email' && { to: [...was.to] }) }}
      onSave={({ name, to, url = '', secret = '', unsigned = false }) => {
        const body = {
          name: name.trim(),
          ...(to !== undefined && { to }),
          ...(url.trim() !== '' && { url: url.trim() }),
          ...(secret.trim() !== '' && { secret: secret.trim() }),
          ...(unsigned && { secret: null }),
        };
        save({ body }, onEnd);
      }}
      onEnd={onEnd}
    >
      <ChannelFields kind={kind} isPresent error={error} />
      {was?.signed === true && kind !== 'webhook' && (
        <Form.Item name="unsigned" valuePropName="checked">
          <Checkbox>{t('alertChannels.unsign')}</Checkbox>
        </Form.Item>
      )}
    </FormModal>
  );
}
