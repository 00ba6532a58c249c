import { removePushSecret } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { PushSetting } from '../../api/shown-pushes.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { PushSecretModal } from './push-secret-modal.tsx';

interface PushSecretProps {
  readonly organizationId: string;
  readonly setting: PushSetting;
  readonly mayChange: boolean;
}

/** Whether pushes are signed, how a receiver verifies that, and the management of the secret. */
export function PushSecret({ organizationId, setting, mayChange }: PushSecretProps) {
  const { t } = useTranslation();
  const [way, setWay] = useState<'generated' | 'own'>();
  const removing = useChange(removePushSecret);
  const { kind, id, signed, former_secret_until } = setting;

  return (
    <section className="push-secret stack tight" aria-label={t('push.secret.named', { kind: t(`push.kinds.${kind}`) })}>
      <div className="row">
        <h3>{t('push.secret.title')}</h3>
        <Mark tone={signed ? 'good' : 'plain'}>{t(signed ? 'push.secret.signed' : 'push.secret.unsigned')}</Mark>
      </div>
      {former_secret_until !== null && (
        <p>
          {t('push.secret.formerUntil')} <Instant at={former_secret_until} />
        </p>
      )}
      <p className="quiet small">
        {signed ? `${t('push.secret.verify')} ${t('push.secret.compare')}` : t('push.secret.unsignedWhat')}
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
            <ConfirmButton
              danger
              size="small"
              text={t('common.remove')}
              title={t('push.secret.removeTitle')}
              what={t('push.secret.removeWhat')}
              change={removing}
              input={{ params: { organization_id: organizationId, kind } }}
            />
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
