import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Organization } from '../../api/shown-things.ts';
import { EditQuotasModal } from '../messaging-settings/edit-quotas-modal.tsx';

export function QuotaButton({ organization: { id, name } }: { readonly organization: Organization }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const title = t('quotas.named', { name });
  return (
    <>
      <Button size="small" aria-label={title} onClick={() => setOpen(true)}>
        {t('quotas.button')}
      </Button>
      {isOpen && <EditQuotasModal organizationId={id} title={title} onEnd={() => setOpen(false)} />}
    </>
  );
}
