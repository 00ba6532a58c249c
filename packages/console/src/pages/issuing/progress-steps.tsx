import { useTranslation } from 'react-i18next';
import { Instant } from '../../parts/marks/instant.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import {
  groupProgress,
  type IssuanceLine,
  knownStep,
  linesLook,
  type ProgressGroup,
  recordsToSet,
} from './progress-groups.ts';

const tones = { running: 'open', done: 'good', failed: 'bad', yours: 'soon' } as const;
const stateTones = { running: 'info', failed: 'bad', yours: 'soon' } as const;

interface ProgressStepsProps {
  readonly progress: readonly IssuanceLine[];
  readonly isUnderWay: boolean;
  /** Whether a person sets the records: the DNS provider only tells which. */
  readonly isByHand: boolean;
}

/** The steps of the latest order, each with its time; failures in the words of the authority. */
export function ProgressSteps({ progress, isUnderWay, isByHand }: ProgressStepsProps) {
  const { t } = useTranslation();
  const groups = groupProgress(progress);
  if (groups.length === 0) return <p className="quiet">{t('issuing.progress.none')}</p>;
  const toSet = isUnderWay && isByHand ? recordsToSet(groups) : undefined;
  return (
    <ol className="timeline issuing-steps" aria-label={t('issuing.progress.title')}>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step may come twice, and the order only grows
        <Step key={`${group.step} ${index}`} group={group} isUnderWay={isUnderWay} isToSet={group === toSet} />
      ))}
    </ol>
  );
}

interface StepProps {
  readonly group: ProgressGroup;
  readonly isUnderWay: boolean;
  readonly isToSet: boolean;
}

function Step({ group, isUnderWay, isToSet }: StepProps) {
  const { t } = useTranslation();
  const { step, state, at, lines } = group;
  const known = knownStep(step);
  const shown = isToSet ? 'yours' : state;
  const look = linesLook(group, isUnderWay);
  return (
    <li className={`timeline-step ${tones[shown]}`} aria-current={state === 'running' ? 'step' : undefined}>
      <div className="timeline-head">
        <h3>{known === undefined ? step : t(`issuing.steps.${known}`)}</h3>
        <span className="quiet">
          {shown !== 'done' && (
            <strong className={`tone ${stateTones[shown]}`}>{t(`issuing.stepStates.${shown}`)} </strong>
          )}
          <Instant at={at} />
        </span>
      </div>
      {isToSet && (
        <p>
          <strong>{t('issuing.progress.setRecords')}</strong>
        </p>
      )}
      {look === 'folded' ? (
        <details>
          <summary className="quiet small">{t('issuing.progress.names', { count: lines.length })}</summary>
          <Lines group={group} isQuiet />
        </details>
      ) : (
        <Lines group={group} isQuiet={look === 'quiet'} isCopied={isToSet} />
      )}
    </li>
  );
}

interface LinesProps {
  readonly group: ProgressGroup;
  readonly isQuiet: boolean;
  readonly isCopied?: boolean;
}

function Lines({ group: { lines }, isQuiet, isCopied = false }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <ul className={isQuiet ? 'step-lines quiet small' : 'step-lines'}>
      {lines.map(({ domain, words }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a step only grow
        <li key={`${domain} ${index}`} className="break-anywhere">
          {domain !== null && <span className="mono">{domain}</span>}{' '}
          {isCopied && words !== null ? <CopiedText text={words} label={`TXT ${domain ?? ''}`.trim()} /> : words}
        </li>
      ))}
    </ul>
  );
}
