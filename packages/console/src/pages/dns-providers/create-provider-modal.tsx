import { type ProviderKind, providerKinds } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { createDnsProvider } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { optionsOf, ProviderFields, type ProviderValues } from './provider-fields.tsx';

interface NewProvider extends ProviderValues {
  readonly kind: ProviderKind;
}

const first: ProviderKind = 'cloudflare';

interface CreateProviderModalProps {
  readonly organizationId: string;
  readonly onMade: (provider: AnswerOf<typeof createDnsProvider>) => void;
  readonly onEnd: () => void;
}

export function CreateProviderModal({ organizationId, onMade, onEnd }: CreateProviderModalProps) {
  const { t } = useTranslation();
  const creating = useChange(createDnsProvider);
  return (
    <FormModal<NewProvider>
      title={t('dnsProviders.create')}
      name="create-dns-provider"
      submit={t('dnsProviders.createSubmit')}
      width={560}
      initialValues={{ kind: first, options: { algorithm: 'hmac-sha256' } }}
      saving={creating}
      onSave={({ kind, name, secret = '', ...values }) =>
        creating.mutate(
          {
            params: { organization_id: organizationId },
            body: {
              ...{ kind, name: name.trim(), options: optionsOf(kind, { name, ...values }) },
              ...(secret.trim() !== '' && { secret: secret.trim() }),
            },
          },
          { onSuccess: onMade },
        )
      }
      onEnd={onEnd}
    >
      <KindField onChange={() => creating.reset()} />
      <FieldsOfKind />
    </FormModal>
  );
}

function useKind(): ProviderKind {
  return Form.useWatch<ProviderKind | undefined>('kind', Form.useFormInstance()) ?? first;
}

function KindField({ onChange }: { readonly onChange: () => void }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<NewProvider>();
  return (
    <Form.Item name="kind" label={t('dnsProviders.kind')} extra={t(`dnsProviders.hints.${useKind()}`)}>
      <Select
        onChange={() => {
          onChange();
          // What belongs to one provider is not handed to another.
          form.resetFields(['secret', ['options', 'key-id']]);
        }}
        options={providerKinds.map((value) => ({ value, label: t(`dnsProviders.kinds.${value}`) }))}
      />
    </Form.Item>
  );
}

function FieldsOfKind() {
  return <ProviderFields kind={useKind()} />;
}
