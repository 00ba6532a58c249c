import { removePushSecret } from '@waxwing/contract/management-api/push-setting-operations.ts';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import type { PushSetting } from '../../api/shown-pushes.ts';
import { Instant } from '../../parts/instant.tsx';
import { Mark } from '../../parts/mark.tsx';
import { problemSentence } from '../../parts/problem-texts.ts';
import { PushSecretModal } from './push-secret-modal.tsx';

export interface PushSecretProps {
  readonly organizationId: string;
  readonly setting: PushSetting;
  readonly mayChange: boolean;
}

/** Whether pushes are signed, how a receiver verifies that, and the secret's making, changing and ending. */
export function PushSecret({ organizationId, setting, mayChange }: PushSecretProps) {
  const { t, i18n } = useTranslation();
  const { modal, message } = App.useApp();
  const [way, setWay] = useState<'generated' | 'own'>();
  const removing = useChange(removePushSecret);
  const { kind, id, signed, former_secret_until } = setting;

  function askRemoval(): void {
    void modal.confirm({
      title: t('push.secret.removeTitle'),
      content: t('push.secret.removeWhat'),
      okText: t('push.secret.remove'),
      okButtonProps: { danger: true },
      cancelText: t('common.cancel'),
      onOk: () =>
        removing
          .mutateAsync({ params: { organization_id: organizationId, kind } })
          .catch((error: unknown) => void message.error(problemSentence(i18n, toApiProblem(error)))),
    });
  }

  return (
    <section className="push-secret stack tight" aria-labelledby={`push-${kind}-secret`}>
      <div className="row">
        <h3 id={`push-${kind}-secret`}>{t('push.secret.title')}</h3>
        <Mark tone={signed ? 'good' : 'plain'}>{t(signed ? 'push.secret.signed' : 'push.secret.unsigned')}</Mark>
      </div>
      {former_secret_until !== null && (
        <p>
          {t('push.secret.formerUntil')} <Instant at={former_secret_until} />
        </p>
      )}
      <p className="quiet small">
        {t('push.secret.verify')} {t('push.secret.compare')}
      </p>
      <a
        className="small"
        href={`/api/docs#${kind === 'status' ? 'pushDeliveryStatus' : 'pushUplinkMessage'}`}
        target="_blank"
        rel="noopener"
      >
        {t('push.secret.guide')}
      </a>
      {mayChange && id !== null && (
        <div className="row">
          <Button size="small" onClick={() => setWay('generated')}>
            {t(signed ? 'push.secret.rotate' : 'push.secret.generate')}
          </Button>
          <Button size="small" onClick={() => setWay('own')}>
            {t('push.secret.own')}
          </Button>
          {signed && (
            <Button size="small" danger onClick={askRemoval}>
              {t('push.secret.remove')}
            </Button>
          )}
        </div>
      )}
      {way !== undefined && (
        <PushSecretModal
          organizationId={organizationId}
          kind={kind}
          way={way}
          isRotation={signed}
          onEnd={() => setWay(undefined)}
        />
      )}
    </section>
  );
}
