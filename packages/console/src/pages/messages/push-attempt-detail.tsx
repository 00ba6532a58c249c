import { useTranslation } from 'react-i18next';
import type { MessageTimeline } from '../../api/shown-things.ts';
import { formatSpan } from '../../parts/span.ts';
import { isDelivered, type PushAttempt } from './message-steps.ts';

const outcomes = ['answered', 'timedOut', 'refused', 'blocked', 'broken', 'badCertificate', 'unresolved'] as const;

/** What every attempt of a push sends: the parameters of the query, in their order. */
export function PushRequest({ push }: { readonly push: NonNullable<MessageTimeline['push']> }) {
  const { t } = useTranslation();
  return (
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
  );
}

/** What one attempt came to, what was answered, and what to do where that was no success. */
export function AttemptDetail({ attempt }: { readonly attempt: PushAttempt }) {
  const { t, i18n } = useTranslation();
  const { outcome, status, ms, address, error, answer } = attempt;
  const known = outcomes.find((each) => each === outcome);
  return (
    <>
      <p className="row">
        <strong>
          {known === undefined ? outcome : t(`messaging.timeline.outcomes.${known}`, { status: status ?? '' })}
        </strong>
        <span className="quiet figures">
          {t('messaging.timeline.attemptTook', { span: formatSpan(ms, i18n.language) })}
        </span>
        {address !== null && <span className="quiet mono">{address}</span>}
        {error !== null && <span className="quiet mono break-anywhere">{error}</span>}
      </p>
      {known !== undefined && !isDelivered(attempt) && (
        <p className="quiet">{t(`messaging.timeline.outcomeHints.${known}`)}</p>
      )}
      {outcome === 'answered' && answer === null && (
        <p className="quiet small">{t('messaging.timeline.noAnswerShown')}</p>
      )}
      {answer !== null && answer !== '' && (
        <div>
          <div className="quiet small">{t('messaging.timeline.answer')}</div>
          <pre className="answer">{answer}</pre>
        </div>
      )}
    </>
  );
}
