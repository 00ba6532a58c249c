import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Carrier } from '../../api/shown-carriers.ts';
import { SeriesPlot } from '../../parts/plots/series-plot.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { type LaneSample, liveSeries, withSample } from '../push-health/health-series.ts';

interface CarrierPlotsProps {
  readonly carrier: Carrier;
  /** Epoch milliseconds: when the server answered this. */
  readonly answeredAt: number;
}

/** What waits and what is under way, sampled while the page is open. */
export function CarrierPlots({ carrier, answeredAt }: CarrierPlotsProps) {
  const { t, i18n } = useTranslation();
  const [samples, setSamples] = useState<readonly LaneSample[]>([]);
  useEffect(() => {
    setSamples((known) => withSample(known, sampleOf(carrier, answeredAt)));
  }, [carrier, answeredAt]);
  const live = useMemo(() => liveSeries(samples), [samples]);
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
          title={t('carriers.facts.waiting')}
          series={[{ label: t('carriers.facts.waiting'), tone: 'first', values: live.waiting }]}
        />
        <SeriesPlot
          {...seen}
          title={t('carriers.plots.underWay')}
          series={[
            { label: t('carriers.columns.window'), tone: 'first', values: live.running },
            { label: t('carriers.settings.window'), tone: 'second', values: live.window },
          ]}
        />
      </div>
    </Panel>
  );
}

/** All connections together; only bound ones may submit. */
function sampleOf({ waiting_parts, connections, window }: Carrier, at: number): LaneSample {
  const running = connections.reduce((sum, { window_used }) => sum + window_used, 0);
  const bound = connections.filter(({ state }) => state === 'bound').length;
  return { at, waiting: waiting_parts, running, window: window * bound };
}
