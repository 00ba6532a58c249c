import { ExperimentOutlined } from '@ant-design/icons';
import { testDnsProvider } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { Alert, Button, Skeleton } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';
import { sendingFailureText } from '../alerts/sending-failure.ts';

interface TestProviderButtonProps {
  readonly organizationId: string;
  readonly provider: { readonly id: string; readonly name: string; readonly options: Readonly<Record<string, string>> };
}

/** Sets a record of a domain and removes it, and shows what the provider says to it. */
export function TestProviderButton({ organizationId, provider: { id, name, options } }: TestProviderButtonProps) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const testing = useChange(testDnsProvider);
  const { data, isPending } = testing;
  return (
    <>
      <Button
        size="small"
        icon={<ExperimentOutlined />}
        aria-label={t('dnsProviders.testNamed', { name })}
        onClick={() => {
          testing.reset();
          setOpen(true);
        }}
      >
        {t('dnsProviders.test')}
      </Button>
      {isOpen && (
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
          onEnd={() => setOpen(false)}
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
                    {data.error !== null && (
                      <span className="break-anywhere">{sendingFailureText(i18n, data.error)}</span>
                    )}
                    <span className="quiet">
                      {t('push.milliseconds', { value: data.ms.toLocaleString(i18n.language) })}
                    </span>
                  </div>
                }
              />
            )}
          </div>
        </FormModal>
      )}
    </>
  );
}
