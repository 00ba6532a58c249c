import { useTranslation } from 'react-i18next';
import { Instant } from '../../parts/marks/instant.tsx';
import { groupProgress, type IssuanceLine, knownStep, type ProgressGroup } from './progress-groups.ts';

const tones = { running: 'open', done: 'good', failed: 'bad' } as const;
/** Names that are shown without being asked for. */
const fewLines = 4;

/** The steps of the latest order, each with its time; failures in the words of the authority. */
export function ProgressSteps({ progress }: { readonly progress: readonly IssuanceLine[] }) {
  const { t } = useTranslation();
  const groups = groupProgress(progress);
  if (groups.length === 0) return <p className="quiet">{t('issuing.progress.none')}</p>;
  return (
    <ol className="timeline issuing-steps" aria-label={t('issuing.progress.title')}>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step may come twice, and the order only grows
        <Step key={`${group.step} ${index}`} group={group} />
      ))}
    </ol>
  );
}

function Step({ group }: { readonly group: ProgressGroup }) {
  const { t } = useTranslation();
  const { step, state, at, lines } = group;
  const known = knownStep(step);
  return (
    <li className={`timeline-step ${tones[state]}`} aria-current={state === 'running' ? 'step' : undefined}>
      <div className="timeline-head">
        <h3>{known === undefined ? step : t(`issuing.steps.${known}`)}</h3>
        <span className="quiet">
          {state !== 'done' && (
            <strong className={`tone ${state === 'failed' ? 'bad' : 'info'}`}>
              {t(`issuing.stepStates.${state}`)}{' '}
            </strong>
          )}
          <Instant at={at} />
        </span>
      </div>
      {lines.length > fewLines ? (
        <details>
          <summary className="quiet small">{t('issuing.progress.names', { count: lines.length })}</summary>
          <Lines group={group} />
        </details>
      ) : (
        <Lines group={group} />
      )}
    </li>
  );
}

function Lines({ group: { lines, state } }: { readonly group: ProgressGroup }) {
  if (lines.length === 0) return null;
  return (
    <ul className={state === 'failed' ? 'step-lines' : 'step-lines quiet small'}>
      {lines.map(({ domain, words }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a step only grow
        <li key={`${domain} ${index}`} className="break-anywhere">
          {domain !== null && <span className="mono">{domain}</span>} {words}
        </li>
      ))}
    </ul>
  );
}
