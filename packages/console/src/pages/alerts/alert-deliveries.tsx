import { useTranslation } from 'react-i18next';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Alert } from './alert-scope.ts';
import { sendingFailureText } from './sending-failure.ts';

const tones = { waiting: 'soon', sent: 'good', failed: 'bad' } as const;

/** The deliveries of an alert: its channels, and the outcome at each. */
export function AlertDeliveries({ deliveries }: Pick<Alert, 'deliveries'>) {
  const { t, i18n } = useTranslation();
  if (deliveries.length === 0) return <span className="quiet">{t('alerts.toNobody')}</span>;
  return (
    <ul className="stack tight">
      {deliveries.map(({ channel_id, channel, kind, to, state, attempts, due_at, ended_at, last_error }) => (
        <li key={channel_id ?? ''}>
          <div className="row">
            <Mark tone={tones[state]}>{t(`alerts.states.${state}`)}</Mark>
            <span className="break-anywhere">{channel_id === null ? t('alerts.operators') : channel}</span>
          </div>
          {kind !== null && (
            <div className="quiet small break-anywhere">
              {t(`alertChannels.kinds.${kind}`)} · {to}
            </div>
          )}
          {last_error !== null && <div className="small break-anywhere">{sendingFailureText(i18n, last_error)}</div>}
          <div className="quiet small figures">
            {ended_at !== null && <Instant at={ended_at} />}
            {due_at !== null && attempts > 0 && (
              <>
                {t('alerts.nextAttempt')} <Instant at={due_at} />
              </>
            )}
            {attempts > 1 && ` · ${t('alerts.attempts', { count: attempts })}`}
          </div>
        </li>
      ))}
    </ul>
  );
}
