import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PushAttempt } from '../../api/shown-pushes.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';

interface AttemptResultProps {
  readonly attempt: Omit<PushAttempt, 'number' | 'at'>;
  /** Stands before the outcome. */
  readonly head?: ReactNode;
  /** When the attempt was made; left out where that is shown elsewhere. */
  readonly at?: string;
}

/** The result of an attempt: outcome, duration, address, the remedy of a failure, and the answer. */
export function AttemptResult({ attempt, head, at }: AttemptResultProps) {
  const { t, i18n } = useTranslation();
  const { outcome, status, error, ms, address } = attempt;
  const isKnown = i18n.exists(`push.outcomes.${outcome}`);
  // The server may send any text. The cast only satisfies the type of `t`: `exists` checks the key.
  const key = outcome as 'answered';
  const words = isKnown ? t(`push.outcomes.${key}`) : outcome;
  return (
    <>
      <div className="row">
        {head}
        <Mark tone={status === 200 ? 'good' : 'bad'}>{status === null ? words : `HTTP ${status}`}</Mark>
        {at !== undefined && <Instant at={at} />}
        <span className="figures">
          <span className="quiet">{t('push.took')}</span>{' '}
          {t('push.milliseconds', { value: ms.toLocaleString(i18n.language) })}
        </span>
        {address !== null && (
          <span>
            <span className="quiet">{t('push.address')}</span> <span className="mono">{address}</span>
          </span>
        )}
      </div>
      {status !== 200 && isKnown && (
        <p>
          {t(`push.outcomeHelp.${key}`)} {error !== null && <code className="mono quiet">{error}</code>}
        </p>
      )}
      <Answer {...attempt} />
    </>
  );
}

/** The first KiB of what came back, or why there is none to show. */
function Answer({ outcome, answer, withheld }: Pick<PushAttempt, 'outcome' | 'answer' | 'withheld'>) {
  const { t } = useTranslation();
  if (answer !== null) return <CopyBlock text={answer} label={t('push.answer.title')} wrapped />;
  const why = outcome === 'answered' ? (withheld ? 'withheld' : 'empty') : 'none';
  return <p className="quiet">{t(`push.answer.${why}`)}</p>;
}
