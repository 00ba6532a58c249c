import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { ShownOnceModal } from '../../parts/dialogs/shown-once-modal.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { saveFile } from '../../parts/text/save-file.ts';

export function RecoveryCodesModal({
  codes,
  onEnd,
}: {
  readonly codes: readonly string[];
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const text = codes.join('\n');
  return (
    <ShownOnceModal
      width={460}
      title={t('account.recovery.title')}
      okText={t('account.recovery.kept')}
      extra={
        <Button onClick={() => saveFile('waxwing-recovery-codes.txt', `${text}\n`, 'text/plain;charset=utf-8')}>
          {t('account.recovery.save')}
        </Button>
      }
      onEnd={onEnd}
    >
      <Alert type="warning" showIcon title={t('account.recovery.once')} />
      <CopyBlock text={text} label={t('account.recovery.title')} />
    </ShownOnceModal>
  );
}
