import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../dialogs/dialog.tsx';

/**
 * Asks before the page is left while it is rendered, beside content that is shown once. The button that confirms saving
 * navigates with `ignoreBlocker`.
 */
export function LeaveGuard() {
  const { t } = useTranslation();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => true,
    enableBeforeUnload: true,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog
      width={460}
      title={t('common.leaveTitle')}
      okText={t('common.leave')}
      okButtonProps={{ danger: true }}
      cancelText={t('common.stay')}
      onOk={proceed}
      onCancel={reset}
    >
      <p>{t('common.leaveWhat')}</p>
    </Dialog>
  );
}
