import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PushHealth } from '../../api/shown-pushes.ts';
import { formatDuration } from '../../parts/marks/duration.ts';
import { SeriesPlot } from '../../parts/plots/series-plot.tsx';
import { healthSeries, type LaneSample, liveSeries } from './health-series.ts';
import type { successTone } from './success-tone.ts';

interface PushHealthPlotsProps {
  readonly series: PushHealth['series'];
  /** Since the page was opened. */
  readonly samples: readonly LaneSample[];
  /** The tone of the success rate. */
  readonly tone: ReturnType<typeof successTone>;
}

const lineTones = { good: 'good', soon: 'second', bad: 'bad', plain: 'first' } as const;

export function PushHealthPlots({ series, samples, tone }: PushHealthPlotsProps) {
  const { t, i18n } = useTranslation();
  const shown = useMemo(() => healthSeries(series), [series]);
  const live = useMemo(() => liveSeries(samples), [samples]);
  const { times } = shown;
  const short = new Intl.NumberFormat(i18n.language, { notation: 'compact', maximumFractionDigits: 1 });
  const number = (value: number) => short.format(value);
  const none = t('push.health.noAttempts');
  const seen = {
    times: live.times,
    note: t('push.health.live'),
    format: number,
    form: 'lines',
  } as const;
  return (
    <div className="plots">
      <SeriesPlot
        title={t('push.health.successRate')}
        times={times}
        form="lines"
        ceiling={100}
        format={(value) => `${Math.floor(value)}%`}
        empty={none}
        series={[{ label: t('push.health.successRate'), tone: lineTones[tone], values: shown.success }]}
      />
      <SeriesPlot
        title={t('push.health.attempts')}
        times={times}
        form="bars"
        format={number}
        empty={none}
        series={[
          { label: t('push.health.delivered'), tone: 'good', values: shown.delivered },
          { label: t('push.health.failed'), tone: 'bad', values: shown.failed },
        ]}
      />
      <SeriesPlot
        title={t('push.health.times')}
        times={times}
        form="lines"
        format={(value) => formatDuration(value, i18n.language)}
        empty={none}
        series={[
          { label: t('push.health.p50'), tone: 'first', values: shown.p50 },
          { label: t('push.health.p95'), tone: 'second', values: shown.p95 },
          { label: t('push.health.p99'), tone: 'third', values: shown.p99 },
        ]}
      />
      <SeriesPlot
        {...seen}
        title={t('push.health.backlog')}
        empty={t('push.health.collecting')}
        series={[{ label: t('push.health.backlog'), tone: 'first', values: live.waiting }]}
      />
      <SeriesPlot
        {...seen}
        title={t('push.health.concurrency')}
        empty={t('push.health.collecting')}
        series={[
          { label: t('push.health.running'), tone: 'first', values: live.running },
          { label: t('push.health.window'), tone: 'second', values: live.window },
        ]}
      />
    </div>
  );
}
