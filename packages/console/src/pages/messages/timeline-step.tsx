import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageTimeline } from '../../api/shown-things.ts';
import { durationBetween } from '../../parts/marks/duration.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { AttemptResult } from '../push/attempt-result.tsx';
import { carrierReason } from './carrier-reason.ts';
import { memoText, refusalReason } from './memo-reason.ts';
import { SimulatedMark } from './message-marks.tsx';
import { type MessageStep, stepTone } from './message-steps.ts';
import { PartList } from './part-list.tsx';
import { PushRequest } from './push-request.tsx';
import { SentWith } from './sent-with.tsx';

interface TimelineStepProps {
  readonly step: MessageStep;
  readonly timeline: MessageTimeline;
}

/** One step of a message: what happened, when, and how long after acceptance. */
export function TimelineStep({ step, timeline }: TimelineStepProps) {
  const { t, i18n } = useTranslation();
  const at = 'at' in step ? step.at : undefined;
  const { accepted_at } = timeline;
  const isLater = at !== undefined && step.kind !== 'accepted';
  return (
    <li className={`timeline-step ${stepTone(step)}`}>
      <div className="timeline-head">
        <h2>{useStepTitle(step)}</h2>
        {at !== undefined && (
          <span className="quiet">
            <Instant at={at} />
            {isLater && (
              <span className="figures">
                {' · '}
                {t('messaging.timeline.after', { span: durationBetween(accepted_at, at, i18n.language) })}
              </span>
            )}
          </span>
        )}
      </div>
      <StepDetail step={step} timeline={timeline} />
    </li>
  );
}

function useStepTitle(step: MessageStep): string {
  const { t } = useTranslation();
  switch (step.kind) {
    case 'carrier':
      return t('messaging.timeline.carrier', { name: step.name });
    case 'receipt':
      return t('messaging.timeline.receipt', { status: t(`messaging.states.${step.status}`) });
    case 'attempt':
      return t('messaging.timeline.attempt', { number: step.attempt.number });
    default:
      return t(`messaging.timeline.${step.kind}`);
  }
}

function StepDetail({ step, timeline }: TimelineStepProps): ReactNode {
  const { t } = useTranslation();
  switch (step.kind) {
    case 'accepted':
      return <Accepted timeline={timeline} />;
    case 'segments':
      return <PartList parts={timeline.parts} />;
    case 'carrier':
      return timeline.message.simulated ? (
        <p className="row quiet">
          <SimulatedMark /> {t('messaging.simulatedWhy')}
        </p>
      ) : (
        <Chosen reason={step.reason} />
      );
    case 'carrierWaits':
      return <Chosen reason={step.reason} />;
    case 'receipt':
      return <Receipt status={step.status} memo={step.memo} />;
    case 'push':
      return <PushRequest push={step.push} organizationId={timeline.organization_id} />;
    case 'attempt':
      return <AttemptResult attempt={step.attempt} />;
    case 'noPush':
      return (
        <p className="quiet">
          {t(step.why === 'off' ? 'messaging.timeline.noPushOff' : 'messaging.timeline.noPushKept')}
        </p>
      );
    case 'carrierNone':
    case 'receiptWaits':
    case 'pushFailed':
      return <p className="quiet">{t(`messaging.timeline.${step.kind}What`)}</p>;
    default:
      return null;
  }
}

/** Why this carrier was chosen, if there was a choice. */
function Chosen({ reason }: { readonly reason: string | undefined }) {
  const { t, i18n } = useTranslation();
  if (reason === undefined) return null;
  return (
    <p className="quiet break-anywhere">
      {t('messaging.timeline.chosenAs', { reason: carrierReason(t, i18n.language, reason) })}
    </p>
  );
}

function Accepted({ timeline }: { readonly timeline: MessageTimeline }) {
  const { t } = useTranslation();
  const { batch_id, organization_id, messaging_key_id, sender, content, message } = timeline;
  return (
    <>
      <p className="quiet">{t('messaging.timeline.acceptedWhat')}</p>
      <dl className="facts">
        <Fact name={t('messaging.list.columns.batch')}>
          <CopiedText text={batch_id} label={t('messaging.list.columns.batch')} />
        </Fact>
        <Fact name={t('messaging.batch.key')}>
          <SentWith organizationId={organization_id} messagingKeyId={messaging_key_id} />
        </Fact>
        <Fact name={t('messaging.number')} className="figures">
          {message.number}
        </Fact>
        {sender !== null && <Fact name={t('messaging.send.sender')}>{sender}</Fact>}
      </dl>
      <p className="message-text">{content}</p>
    </>
  );
}

function Receipt({ status, memo }: { readonly status: string; readonly memo: string | undefined }) {
  const { t } = useTranslation();
  const reason = refusalReason(memo);
  return (
    <>
      <p>
        <code className="mono">{status}</code>
        {memo !== undefined && <span className="break-anywhere"> {memoText(t, memo)}</span>}
      </p>
      {reason !== undefined && <p className="quiet">{t(`messaging.memos.${reason}`)}</p>}
    </>
  );
}
