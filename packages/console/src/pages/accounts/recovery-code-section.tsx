import { replaceRecoveryCodes } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

const few = 3;

export function RecoveryCodeSection({ left }: { readonly left: number }) {
  const { t } = useTranslation();
  const replacing = useChange(replaceRecoveryCodes);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Panel
      title={t('account.recovery.title')}
      mark={<Mark tone={left < few ? 'soon' : 'plain'}>{t('account.recovery.left', { count: left })}</Mark>}
      actions={
        <ConfirmButton
          text={t('account.recovery.replace')}
          title={t('account.recovery.replaceTitle')}
          what={t('account.recovery.replaceWhat')}
          change={replacing}
          input={{}}
          onDone={({ recovery_codes }) => setCodes(recovery_codes)}
        />
      }
    >
      <p className="quiet">{t('account.recovery.what')}</p>
      {codes.length > 0 && <RecoveryCodesModal codes={codes} onEnd={() => setCodes([])} />}
    </Panel>
  );
}
