import { replaceRecoveryCodes } from '@waxwing/contract/management-api/account-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Mark } from '../../parts/mark.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { RecoveryCodesModal } from './recovery-codes-modal.tsx';

const few = 3;

export function RecoveryCodeSection({ left }: { readonly left: number }) {
  const { t } = useTranslation();
  const replacing = useChange(replaceRecoveryCodes);
  return (
    <section className="panel stack tight" aria-labelledby="recovery-codes">
      <div className="row">
        <h2 id="recovery-codes" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('account.recovery.title')}{' '}
          <Mark tone={left < few ? 'soon' : 'plain'}>{t('account.recovery.left', { count: left })}</Mark>
        </h2>
        <Button loading={replacing.isPending} onClick={() => replacing.mutate({})}>
          {t('account.recovery.replace')}
        </Button>
      </div>
      <p className="quiet">{t('account.recovery.what')}</p>
      {replacing.error !== null && <ProblemAlert error={replacing.error} />}
      {replacing.data !== undefined && (
        <RecoveryCodesModal codes={replacing.data.recovery_codes} onEnd={replacing.reset} />
      )}
    </section>
  );
}
