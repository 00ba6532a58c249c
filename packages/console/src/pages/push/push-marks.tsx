import { useTranslation } from 'react-i18next';
import type { Push, PushAttempt } from '../../api/shown-pushes.ts';
import { Mark, type Tone } from '../../parts/marks/mark.tsx';

const tones: Readonly<Record<Push['state'], Tone>> = {
  waiting: 'info',
  delivered: 'good',
  failed: 'bad',
  off: 'plain',
};

export function PushStateMark({ state }: Pick<Push, 'state'>) {
  const { t } = useTranslation();
  return <Mark tone={tones[state]}>{t(`push.list.states.${state}`)}</Mark>;
}

export function SwitchMark({ enabled, isSet = true }: { readonly enabled: boolean; readonly isSet?: boolean }) {
  const { t } = useTranslation();
  if (!isSet) return <Mark>{t('push.notSet')}</Mark>;
  // Not green: being switched on says nothing of how it goes.
  return <Mark tone={enabled ? 'info' : 'plain'}>{t(enabled ? 'push.on' : 'push.off')}</Mark>;
}

const outcomes = [
  'answered',
  'timedOut',
  'refused',
  'blocked',
  'broken',
  'badCertificate',
  'unresolved',
  'cutOff',
] as const;

type Attempted = Pick<PushAttempt, 'outcome' | 'status' | 'error'>;

/** What an attempt came to. */
export function OutcomeMark({ outcome, status }: Attempted) {
  const { t } = useTranslation();
  const known = outcomes.find((each) => each === outcome);
  const words = known === undefined ? outcome : t(`push.outcomes.${known}`);
  return <Mark tone={status === 200 ? 'good' : 'bad'}>{status === null ? words : `HTTP ${status}`}</Mark>;
}

/** What to do about an attempt that failed. */
export function OutcomeHelp({ outcome, status, error }: Attempted) {
  const { t } = useTranslation();
  const known = outcomes.find((each) => each === outcome);
  if (status === 200 || known === undefined) return null;
  return (
    <p>
      {t(`push.outcomeHelp.${known}`)} {error !== null && <code className="mono quiet">{error}</code>}
    </p>
  );
}

/** How long an attempt took, and where it went. */
export function TimeAndAddress({ ms, address }: Pick<PushAttempt, 'ms' | 'address'>) {
  const { t, i18n } = useTranslation();
  return (
    <>
      <span className="figures">
        <span className="quiet">{t('push.took')}</span>{' '}
        {t('push.milliseconds', { value: ms.toLocaleString(i18n.language) })}
      </span>
      {address !== null && (
        <span>
          <span className="quiet">{t('push.address')}</span> <span className="mono">{address}</span>
        </span>
      )}
    </>
  );
}
