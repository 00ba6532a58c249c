import { setPushSecret } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Alert, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { ShownOnceModal } from '../../parts/dialogs/shown-once-modal.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import type { PushKind } from '../push/push-filters.ts';

interface PushSecretModalProps {
  readonly organizationId: string;
  readonly kind: PushKind;
  readonly way: 'generated' | 'own';
  /** There is a former secret, which will sign beside the new one for a day. */
  readonly isRotation: boolean;
  readonly onEnd: () => void;
}

export function PushSecretModal({ organizationId, kind, way, isRotation, onEnd }: PushSecretModalProps) {
  const { t } = useTranslation();
  const [own, setOwn] = useState('');
  // Setting the secret makes the setting a signed one; the dialog keeps its words.
  const [rotates] = useState(isRotation);
  const setting = useChange(setPushSecret);
  const { data } = setting;
  const set = () =>
    setting.mutate({ params: { organization_id: organizationId, kind }, body: way === 'own' ? { secret: own } : {} });

  const formerUntil = data?.setting.former_secret_until ?? null;
  const former = formerUntil !== null && (
    <p>
      {t('push.secret.formerUntil')} <Instant at={formerUntil} />
    </p>
  );
  if (data !== undefined && data.secret !== null) {
    return (
      <ShownOnceModal width={620} title={t('push.secret.newSecret')} okText={t('push.secret.kept')} onEnd={onEnd}>
        <Alert type="warning" showIcon title={t('push.secret.once')} />
        <CopyBlock text={data.secret} label={t('push.secret.ownLabel')} wrapped />
        {former}
      </ShownOnceModal>
    );
  }
  if (data !== undefined) {
    return (
      <Dialog
        width={620}
        title={t('push.secret.newSecret')}
        okText={t('common.continue')}
        cancelButtonProps={{ className: 'absent' }}
        onOk={onEnd}
        onCancel={onEnd}
      >
        <div className="stack">
          <p role="status">{t('push.secret.ownDone')}</p>
          {former}
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      width={520}
      title={t(way === 'own' ? 'push.secret.own' : rotates ? 'push.secret.rotate' : 'push.secret.generate')}
      okText={t(way === 'own' ? 'common.save' : rotates ? 'push.secret.rotate' : 'push.secret.generate')}
      okButtonProps={{ disabled: way === 'own' && own === '' }}
      confirmLoading={setting.isPending}
      onOk={set}
      onCancel={onEnd}
    >
      <Form layout="vertical" onFinish={set}>
        <div className="stack">
          <p>{t(way === 'own' ? 'push.secret.ownWhat' : 'push.secret.generateWhat')}</p>
          {rotates && <p className="quiet">{t('push.secret.rotateWhat')}</p>}
          <ProblemAlert error={setting.error} />
          {way === 'own' && (
            <Form.Item label={t('push.secret.ownLabel')} htmlFor="own-push-secret" extra={t('push.secret.ownHint')}>
              <Input.Password
                id="own-push-secret"
                className="mono"
                maxLength={200}
                autoComplete="off"
                value={own}
                onChange={({ target }) => setOwn(target.value.trim())}
              />
            </Form.Item>
          )}
        </div>
      </Form>
    </Dialog>
  );
}
