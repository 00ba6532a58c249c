import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Carrier } from '../../api/shown-carriers.ts';
import { formatDuration } from '../../parts/marks/duration.ts';
import { SeriesPlot } from '../../parts/plots/series-plot.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { withSample } from '../push-health/health-series.ts';
import { type CarrierSample, carrierSample, carrierSeries } from './carrier-samples.ts';

interface CarrierPlotsProps {
  readonly carrier: Carrier;
  /** Epoch milliseconds: when the server answered this. */
  readonly answeredAt: number;
}

/** What is submitted, waits and is under way, sampled while the page is open. */
export function CarrierPlots({ carrier, answeredAt }: CarrierPlotsProps) {
  const { t, i18n } = useTranslation();
  const [samples, setSamples] = useState<readonly CarrierSample[]>([]);
  useEffect(() => {
    setSamples((known) => withSample(known, carrierSample(carrier, answeredAt)));
  }, [carrier, answeredAt]);
  const live = useMemo(() => carrierSeries(samples), [samples]);
  const short = new Intl.NumberFormat(i18n.language, { notation: 'compact', maximumFractionDigits: 1 });
  const seen = {
    times: live.times,
    note: t('push.health.live'),
    format: (value: number) => short.format(value),
    form: 'lines',
    empty: t('push.health.collecting'),
  } as const;
  return (
    <Panel title={t('carriers.plots.title')}>
      <div className="plots">
        <SeriesPlot
          {...seen}
          title={t('carriers.plots.rate')}
          series={[{ label: t('carriers.plots.rate'), tone: 'good', values: live.rate }]}
        />
        <SeriesPlot
          {...seen}
          title={t('carriers.plots.answerTime')}
          format={(value) => formatDuration(value, i18n.language)}
          series={[{ label: t('carriers.plots.answerTime'), tone: 'first', values: live.answerTime }]}
        />
        <SeriesPlot
          {...seen}
          title={t('carriers.facts.waiting')}
          series={[{ label: t('carriers.facts.waiting'), tone: 'first', values: live.waiting }]}
        />
        <SeriesPlot
          {...seen}
          title={t('carriers.plots.underWay')}
          series={[
            { label: t('carriers.columns.window'), tone: 'first', values: live.underWay },
            { label: t('carriers.settings.window'), tone: 'second', values: live.window },
          ]}
        />
      </div>
    </Panel>
  );
}
