import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { CommandBlock } from '../../parts/command-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { saveFile } from '../../parts/save-file.ts';

/** Recovery codes, the only time that they are shown. */
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
    <Dialog
      width={460}
      title={t('account.recovery.title')}
      mask={{ closable: false }}
      onCancel={onEnd}
      footer={
        <div className="row end">
          <Button onClick={() => saveFile('waxwing-recovery-codes.txt', `${text}\n`, 'text/plain;charset=utf-8')}>
            {t('account.recovery.save')}
          </Button>
          <Button type="primary" onClick={onEnd}>
            {t('account.recovery.kept')}
          </Button>
        </div>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t('account.recovery.once')} />
        <CommandBlock text={text} label={t('account.recovery.title')} />
      </div>
    </Dialog>
  );
}
