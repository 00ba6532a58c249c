import {
  showDnsProvider,
  updateDnsProvider,
} from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { optionsOf, ProviderFields, type ProviderValues } from './provider-fields.tsx';

interface EditProviderModalProps {
  readonly organizationId: string;
  readonly providerId: string;
  readonly onEnd: () => void;
}

/** Changes a DNS provider as it is at the moment of opening. Its kind cannot change. */
export function EditProviderModal({ organizationId, providerId, onEnd }: EditProviderModalProps) {
  const { t } = useTranslation();
  const { opened, form, save } = useEdit(showDnsProvider, updateDnsProvider, {
    params: { organization_id: organizationId, dns_provider_id: providerId },
  });
  const was = opened?.value;
  return (
    <FormModal<ProviderValues>
      title={was === undefined ? t('common.edit') : t('dnsProviders.edit', { name: was.name })}
      lead={was && `${t(`dnsProviders.kinds.${was.kind}`)} · ${t(`dnsProviders.hints.${was.kind}`)}`}
      name="edit-dns-provider"
      width={560}
      {...form}
      initialValues={was && { name: was.name, options: { algorithm: 'hmac-sha256', ...was.options } }}
      onSave={(values) => {
        if (was === undefined) return;
        const secret = values.secret?.trim() ?? '';
        const body = {
          name: values.name.trim(),
          options: optionsOf(was.kind, values),
          ...(secret !== '' && { secret }),
        };
        save({ body }, onEnd);
      }}
      onEnd={onEnd}
    >
      {was !== undefined && <ProviderFields kind={was.kind} hasSecret={was.has_secret} />}
    </FormModal>
  );
}
