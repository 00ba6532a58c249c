import { useTranslation } from 'react-i18next';
import type { MessageTimeline } from '../../api/shown-things.ts';
import { formatInstant } from '../../parts/marks/format-instant.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { memoText } from './memo-reason.ts';
import { stateTones } from './message-marks.tsx';

/** The segments of a message, with their texts and states. */
export function PartList({ parts }: { readonly parts: MessageTimeline['parts'] }) {
  const { t, i18n } = useTranslation();
  return (
    <ul className="part-list">
      {parts.map(({ part, text, state, memo, submits, next_submit_at, carrier_message_id, sent_at }) => (
        <li key={part}>
          <div className="row">
            <span className="quiet small figures">
              {t('messaging.timeline.part', { number: part, count: parts.length })}
            </span>
            <Mark tone={stateTones[state]}>{t(`messaging.states.${state}`)}</Mark>
            {memo !== null && <span className="quiet small break-anywhere">{memoText(t, memo)}</span>}
          </div>
          <p className="message-text">{text}</p>
          <div className="row quiet small figures">
            {carrier_message_id !== null && (
              <span className="break-anywhere">
                {t('messaging.timeline.carrierMessageId')} <span className="mono">{carrier_message_id}</span>
              </span>
            )}
            {sent_at !== null && <Instant at={sent_at} />}
            {submits > 0 && <span>{t('messaging.timeline.submits', { count: submits })}</span>}
            {next_submit_at !== null && (
              <span>{t('messaging.timeline.nextSubmit', { at: formatInstant(next_submit_at, i18n.language) })}</span>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
