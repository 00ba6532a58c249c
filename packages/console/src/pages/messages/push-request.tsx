import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { MessageTimeline } from '../../api/shown-things.ts';

interface PushRequestProps {
  readonly push: NonNullable<MessageTimeline['push']>;
  readonly organizationId: string;
}

/** The request of every attempt of a push: the query parameters in their order. */
export function PushRequest({ push, organizationId }: PushRequestProps) {
  const { t } = useTranslation();
  return (
    <>
      <dl className="request" aria-label={t('messaging.timeline.request')}>
        <div>
          <dt>GET</dt>
          <dd className="quiet">{t('messaging.timeline.requestTo')}</dd>
        </div>
        {Object.entries(push.parameters).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Webhook-Id</dt>
          <dd>{push.id}</dd>
        </div>
      </dl>
      <Link to="/o/$organizationId/pushes/$pushId" params={{ organizationId, pushId: push.id }}>
        {t('messaging.timeline.seePush')}
      </Link>
    </>
  );
}
