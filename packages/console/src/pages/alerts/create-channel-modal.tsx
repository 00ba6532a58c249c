import type { AlertChannelKind } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import { Alert, Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ShownOnceModal } from '../../parts/dialogs/shown-once-modal.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import type { AlertScope } from './alert-scope.ts';
import { ChannelFields, type ChannelValues, isUrlFault } from './channel-fields.tsx';

const kinds: readonly AlertChannelKind[] = ['email', 'webhook', 'wecom', 'dingtalk', 'feishu'];

interface NewChannel extends ChannelValues {
  readonly kind: AlertChannelKind;
}

export function CreateChannelModal({ scope, onEnd }: { readonly scope: AlertScope; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const creating = useChange(scope.operations.create);
  const { data, error, isPending } = creating;
  if (data !== undefined && data.secret !== null) {
    return (
      <ShownOnceModal
        width={620}
        title={t('alertChannels.created', { name: data.name })}
        okText={t('push.secret.kept')}
        onEnd={onEnd}
      >
        <Alert type="warning" showIcon title={t('push.secret.once')} />
        <CopyBlock text={data.secret} label={t('push.secret.ownLabel')} wrapped />
        <p className="quiet">{t('alertChannels.verify')}</p>
      </ShownOnceModal>
    );
  }
  return (
    <FormModal<NewChannel>
      title={t('alertChannels.create')}
      name="create-channel"
      submit={t('alertChannels.createSubmit')}
      width={560}
      initialValues={{ kind: 'email' }}
      saving={{ error: isUrlFault(error) ? null : error, isPending }}
      onSave={({ kind, name, to, url, secret }) =>
        creating.mutate(
          {
            params: scope.params,
            body: {
              kind,
              name: name.trim(),
              ...(to !== undefined && { to }),
              ...(url !== undefined && { url: url.trim() }),
              ...(secret !== undefined && secret.trim() !== '' && { secret: secret.trim() }),
            },
          },
          {
            onSuccess: (channel) => {
              if (channel.secret === null) onEnd();
            },
          },
        )
      }
      onEnd={onEnd}
    >
      <Form.Item name="kind" label={t('alertChannels.kind')}>
        <Select
          onChange={() => creating.reset()}
          options={kinds.map((value) => ({ value, label: t(`alertChannels.kinds.${value}`) }))}
        />
      </Form.Item>
      <FieldsOfKind error={error} />
    </FormModal>
  );
}

function FieldsOfKind({ error }: { readonly error: unknown }) {
  const kind = Form.useWatch<AlertChannelKind | undefined>('kind', Form.useFormInstance()) ?? 'email';
  return <ChannelFields kind={kind} error={error} />;
}
