import { showMessagingSettings } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTagged } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';
import { PendingModal } from '../../parts/pending-modal.tsx';
import { EditQuotasModal } from '../messaging-settings/edit-quotas-modal.tsx';

/** How much an organization may send. */
export function QuotaButton({ organization: { id, name } }: { readonly organization: Organization }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" aria-label={t('quotas.named', { name })} onClick={() => setOpen(true)}>
        {t('quotas.button')}
      </Button>
      {isOpen && <QuotaModal organizationId={id} title={t('quotas.named', { name })} onEnd={() => setOpen(false)} />}
    </>
  );
}

interface QuotaModalProps {
  readonly organizationId: string;
  readonly title: string;
  readonly onEnd: () => void;
}

function QuotaModal(props: QuotaModalProps) {
  const { data, error } = useTagged(showMessagingSettings, { params: { organization_id: props.organizationId } });
  if (data === undefined) return <PendingModal {...props} width={480} error={error} />;
  return <EditQuotasModal {...props} quotas={data.value} etag={data.etag} />;
}
