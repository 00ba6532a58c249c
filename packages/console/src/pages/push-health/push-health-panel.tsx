import { Link } from '@tanstack/react-router';
import { showPushHealth } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Skeleton } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { PushHealth } from '../../api/shown-pushes.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import type { PushKind, PushSpan } from '../push/push-filters.ts';
import { SwitchMark } from '../push/push-marks.tsx';
import { type LaneSample, liveStepMs, sampleOf, withSample } from './health-series.ts';
import { PushHealthPlots } from './push-health-plots.tsx';
import { successTone } from './success-tone.ts';

interface PushHealthPanelProps {
  readonly organizationId: string;
  readonly kind: PushKind;
  readonly span: PushSpan;
}

/** The server counts no further. */
const countBound = 10_000;

export function PushHealthPanel({ organizationId, kind, span }: PushHealthPanelProps) {
  const { t, i18n } = useTranslation();
  const params = { organization_id: organizationId, kind };
  const health = useAnswer(showPushHealth, { params, query: { span } }, { refetchInterval: liveStepMs });
  const { data, dataUpdatedAt } = health;
  const [samples, setSamples] = useState<readonly LaneSample[]>([]);
  useEffect(() => {
    if (data !== undefined) setSamples((known) => withSample(known, sampleOf(data, dataUpdatedAt)));
  }, [data, dataUpdatedAt]);
  const rate = (data && wholeSpan(data, span)?.success_rate) ?? null;
  const isIdle = data !== undefined && !data.enabled && data.windows.every(({ attempts }) => attempts === 0);

  return (
    <section className="panel stack" aria-labelledby={`health-${kind}`}>
      <div className="row">
        <h2 id={`health-${kind}`} className="panel-title">
          {t(`push.kinds.${kind}`)}
        </h2>
        {data !== undefined && <SwitchMark enabled={data.enabled} />}
        {rate !== null && (
          <Mark tone={successTone(rate)}>{t('push.health.rate', { rate: percent(rate, i18n.language) })}</Mark>
        )}
        {data !== undefined && !isIdle && <LaneMark health={data} />}
      </div>
      <ProblemAlert error={health.error} onRetry={() => void health.refetch()} />
      {data === undefined && health.error === null && <Skeleton active />}
      {data !== undefined && isIdle && (
        <p className="quiet">
          {t('push.health.notSet')} {t('push.health.notSetLead')}
        </p>
      )}
      {data !== undefined && !isIdle && (
        <>
          <Figures organizationId={organizationId} health={data} span={span} />
          <PushHealthPlots series={data.series} samples={samples} tone={successTone(rate)} />
        </>
      )}
    </section>
  );
}

/** An open lane is not green: success is shown by the rate. */
const laneTones = { open: 'plain', probing: 'bad', paused: 'soon' } as const;

function LaneMark({ health: { lane } }: { readonly health: PushHealth }) {
  const { t } = useTranslation();
  const state = t(lane === null ? 'push.health.idle' : `push.health.lanes.${lane.state}`);
  const words = t('push.health.laneNamed', { state });
  if (lane === null) return <Mark>{words}</Mark>;
  return (
    <>
      <Mark tone={laneTones[lane.state]}>{words}</Mark>
      {lane.next_at !== null && (
        <span className="quiet">
          {t('push.health.until')} <Instant at={lane.next_at} />
        </span>
      )}
    </>
  );
}

const minutesOf: Readonly<Record<PushSpan, number>> = { '1h': 60, '6h': 360, '24h': 1_440 };

function wholeSpan({ windows }: PushHealth, span: PushSpan) {
  return windows.find(({ minutes }) => minutes === minutesOf[span]);
}

interface FiguresProps {
  readonly organizationId: string;
  readonly health: PushHealth;
  readonly span: PushSpan;
}

function Figures({ organizationId, health, span }: FiguresProps) {
  const { t, i18n } = useTranslation();
  const { kind, waiting, failed, oldest_due_at, lane } = health;
  const whole = wholeSpan(health, span);
  const count = (value: number) => {
    const text = value.toLocaleString(i18n.language);
    return value < countBound ? text : t('push.health.manyOrMore', { count: value });
  };
  const rate = whole?.success_rate ?? null;
  const times = [whole?.p50_ms, whole?.p95_ms, whole?.p99_ms].map((value) => value?.toLocaleString(i18n.language));
  return (
    <dl className="facts push-figures">
      <Fact name={t('push.health.successRate')} className={`figures large rate ${successTone(rate)}`}>
        {rate === null ? '–' : percent(rate, i18n.language)}
      </Fact>
      <Fact name={t('push.health.attempts')} className="figures large">
        {(whole?.attempts ?? 0).toLocaleString(i18n.language)}
      </Fact>
      <Fact name="p50 / p95 / p99" className="figures large">
        {whole?.p50_ms == null ? '–' : t('push.milliseconds', { value: times.join(' / ') })}
      </Fact>
      <Fact name={t('push.health.backlog')} className="figures large">
        {count(waiting)}
      </Fact>
      <Fact name={t('push.health.failedPushes')} className="figures large">
        {failed === 0 ? (
          0
        ) : (
          <Link to="/o/$organizationId/pushes" params={{ organizationId }} search={{ kind, state: 'failed' }}>
            {count(failed)}
          </Link>
        )}
      </Fact>
      <Fact name={t('push.health.concurrency')} className="figures large">
        {lane === null ? '–' : `${lane.running} / ${lane.window}`}
      </Fact>
      <Fact name={t('push.health.nextRetry')}>
        {oldest_due_at === null ? t('push.health.nothingWaits') : <Instant at={oldest_due_at} />}
      </Fact>
      <div className="wide">
        <dt>{t('push.health.lane')}</dt>
        <dd>
          {t(`push.health.laneHelp.${lane === null ? 'idle' : lane.state}`)}{' '}
          {lane !== null && lane.silence > 0 && t('push.health.silence', { count: lane.silence })}
        </dd>
      </div>
    </dl>
  );
}

/** Rounds down, so that 99.96 % is not shown as 100 %. */
function percent(rate: number, language: string): string {
  const floored = Math.floor(rate * 1000) / 1000;
  return floored.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 });
}
