import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.tsx';

/**
 * Asks before the page is left, for as long as it is rendered: beside what is shown once. The button that says one has kept
 * it navigates with `ignoreBlocker`.
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
