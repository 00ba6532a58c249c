import { replaceRecoveryCodes } from '@waxwing/contract/management-api/account-operations.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

const few = 3;

export function RecoveryCodeSection({ left }: { readonly left: number }) {
  const { t } = useTranslation();
  const replacing = useChange(replaceRecoveryCodes);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <section className="panel stack tight" aria-labelledby="recovery-codes">
      <div className="row">
        <h2 id="recovery-codes" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('account.recovery.title')}{' '}
          <Mark tone={left < few ? 'soon' : 'plain'}>{t('account.recovery.left', { count: left })}</Mark>
        </h2>
        <ConfirmButton
          text={t('account.recovery.replace')}
          title={t('account.recovery.replaceTitle')}
          what={t('account.recovery.replaceWhat')}
          change={replacing}
          input={{}}
          onDone={({ recovery_codes }) => setCodes(recovery_codes)}
        />
      </div>
      <p className="quiet">{t('account.recovery.what')}</p>
      {codes.length > 0 && <RecoveryCodesModal codes={codes} onEnd={() => setCodes([])} />}
    </section>
  );
}
