import { RollbackOutlined } from '@ant-design/icons';
import {
  activateCertificate,
  compareVersion,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { VersionComparison } from './version-comparison.tsx';

interface ActivateButtonProps {
  readonly organizationId: string;
  readonly certificateId: string;
  readonly version: { readonly id: string; readonly number: number };
}

/** Makes another version the current one, after showing what changes for servers. */
export function ActivateButton({ organizationId, certificateId, version }: ActivateButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const activating = useChange(activateCertificate, ['deployments']);
  const params = { organization_id: organizationId, certificate_id: certificateId };
  const comparison = useAnswer(compareVersion, { params, query: { version: version.id } }, { enabled: isOpen });
  return (
    <>
      <Button
        size="small"
        icon={<RollbackOutlined />}
        aria-label={t('certificates.activate.named', { number: version.number })}
        onClick={() => setOpen(true)}
      >
        {t('certificates.activate.button')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          width={640}
          title={t('certificates.activate.title', { number: version.number })}
          what={t('certificates.activate.what')}
          okText={t('certificates.activate.button')}
          change={activating}
          input={{ params, body: { version: version.id } }}
          onEnd={() => setOpen(false)}
        >
          {comparison.data === undefined ? (
            <Unread of={comparison} />
          ) : (
            <VersionComparison comparison={comparison.data} />
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
