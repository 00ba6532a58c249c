import { testDnsProvider } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { Alert, Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';
import { sendingFailureText } from '../alerts/sending-failure.ts';

export interface TestProviderProps {
  readonly organizationId: string;
  readonly provider: { readonly id: string; readonly name: string; readonly options: Readonly<Record<string, string>> };
}

/** Sets a record of a domain and removes it, and shows what the provider says to it. */
export function TestProviderModal(props: TestProviderProps & { readonly onEnd: () => void }) {
  const { organizationId, onEnd } = props;
  const { id, name, options } = props.provider;
  const { t, i18n } = useTranslation();
  const testing = useChange(testDnsProvider);
  const { data, isPending } = testing;
  return (
    <FormModal<{ domain: string }>
      title={t('dnsProviders.testNamed', { name })}
      lead={t('dnsProviders.testWhat')}
      name="test-dns-provider"
      submit={t('dnsProviders.test')}
      width={520}
      initialValues={{ domain: options.zone ?? '' }}
      saving={testing}
      onSave={({ domain }) =>
        testing.mutate({
          params: { organization_id: organizationId, dns_provider_id: id },
          body: { domain: domain.trim() },
        })
      }
      onEnd={onEnd}
    >
      <TextField
        autoFocus
        name="domain"
        label={t('dnsProviders.domain')}
        hint={t('dnsProviders.domainHint')}
        maxLength={253}
        placeholder="example.com"
        rules={[{ pattern: /^\s*[^\s/:@]+\.[^\s/:@]+\s*$/, message: t('dnsProviders.domainForm') }]}
      />
      <div aria-live="polite">
        {isPending && <Skeleton active />}
        {data !== undefined && !isPending && (
          <Alert
            type={data.ok ? 'success' : 'error'}
            showIcon
            title={t(data.ok ? 'dnsProviders.tested' : 'dnsProviders.testFailed')}
            description={
              <div className="stack tight">
                {data.error !== null && <span className="break-anywhere">{sendingFailureText(i18n, data.error)}</span>}
                <span className="quiet">
                  {t('push.milliseconds', { value: data.ms.toLocaleString(i18n.language) })}
                </span>
              </div>
            }
          />
        )}
      </div>
    </FormModal>
  );
}
