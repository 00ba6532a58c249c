import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInstant } from '../marks/format-instant.ts';
import { ceilingOf, lineThrough } from './plot-scale.ts';
import './series-plot.css';

interface PlotSeries {
  readonly label: string;
  readonly tone: 'good' | 'bad' | 'first' | 'second' | 'third';
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

interface SeriesPlotProps {
  readonly title: string;
  /** The main figure, beside the title. */
  readonly figure?: ReactNode;
  readonly note?: string;
  /** Epoch milliseconds, oldest first, evenly spaced. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly form: 'lines' | 'bars';
  /** The end of the scale; left out: by the values. */
  readonly ceiling?: number;
  readonly format: (value: number) => string;
  /** Shown instead of a plot without values. */
  readonly empty: string;
}

const width = 360;
const height = 150;
const area = { left: 44, right: 354, top: 8, bottom: 126 } as const;

/** Figures over time as a drawing, and as a table below for people who cannot see it or want the numbers. */
export function SeriesPlot(props: SeriesPlotProps) {
  const { title, figure, note, series, empty } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  return (
    <figure className="plot">
      <figcaption>
        <strong>{title}</strong>
        {figure !== undefined && <span className="figures">{figure}</span>}
        {note !== undefined && <span className="quiet small">{note}</span>}
      </figcaption>
      {isEmpty ? (
        <p className="quiet">{empty}</p>
      ) : (
        <>
          <Drawing {...props} />
          {series.length > 1 && <Legend {...props} />}
          <FigureTable {...props} />
        </>
      )}
    </figure>
  );
}

function Drawing({ title, times, series, form, ceiling, format }: SeriesPlotProps) {
  const { t, i18n } = useTranslation();
  const id = useId();
  const totals = times.map((_time, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const top = ceiling ?? ceilingOf(form === 'bars' ? totals : series.flatMap(({ values }) => values));
  const step = (area.right - area.left) / Math.max(1, times.length);
  const middleOf = (index: number) => area.left + step * (index + 0.5);
  const levelOf = (value: number) => area.bottom - ((area.bottom - area.top) * value) / top;
  const clock = new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const timeOf = (index: number) => clock.format(times[index]);
  const said = series.map(({ label, values }) => {
    const last = values.findLast((value) => value !== null);
    return t('plot.latest', { name: label, value: last === undefined || last === null ? '–' : format(last) });
  });

  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={`${id}-title ${id}-text`}>
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-text`}>
        {t('plot.describe', {
          name: title,
          from: timeOf(0),
          to: timeOf(times.length - 1),
          figures: said.join(', '),
        })}
      </desc>
      {(Number.isInteger(top / 2) ? [0, top / 2, top] : [0, top]).map((value) => (
        <g key={value}>
          <line className="plot-grid" x1={area.left} x2={area.right} y1={levelOf(value)} y2={levelOf(value)} />
          <text className="plot-text" x={area.left - 6} y={levelOf(value) + 4} textAnchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {[0, Math.floor(times.length / 2), times.length - 1].map((index, place) =>
        place > 0 && index === 0 ? null : (
          <text
            key={index}
            className="plot-text"
            x={place === 0 ? area.left : place === 1 ? middleOf(index) : area.right}
            y={height - 6}
            textAnchor={place === 0 ? 'start' : place === 1 ? 'middle' : 'end'}
          >
            {timeOf(index)}
          </text>
        ),
      )}
      {form === 'bars' ? (
        <Bars
          times={times}
          series={series}
          left={(index) => middleOf(index) - step * 0.4}
          width={step * 0.8}
          levelOf={levelOf}
        />
      ) : (
        <Lines series={series} middleOf={middleOf} levelOf={levelOf} />
      )}
      {times.map((time, index) => (
        <rect
          key={time}
          className="plot-hover"
          x={middleOf(index) - step / 2}
          y={area.top}
          width={step}
          height={area.bottom - area.top}
        >
          <title>{[timeOf(index), ...valuesAt(series, index, format)].join('\n')}</title>
        </rect>
      ))}
    </svg>
  );
}

interface BarsProps {
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly left: (index: number) => number;
  readonly width: number;
  readonly levelOf: (value: number) => number;
}

function Bars({ times, series, left, width: barWidth, levelOf }: BarsProps) {
  return series.flatMap(({ label, tone, values }, level) =>
    values.flatMap((value, index) => {
      if (value === null || value === 0) return [];
      const below = series.slice(0, level).reduce((sum, each) => sum + (each.values[index] ?? 0), 0);
      const y = levelOf(below + value);
      return (
        <rect
          key={`${label} ${times[index]}`}
          className={`plot-bar ${tone}`}
          x={left(index)}
          y={y}
          width={barWidth}
          height={levelOf(below) - y}
        />
      );
    }),
  );
}

interface LinesProps {
  readonly series: readonly PlotSeries[];
  readonly middleOf: (index: number) => number;
  readonly levelOf: (value: number) => number;
}

function Lines({ series, middleOf, levelOf }: LinesProps) {
  return series.map(({ label, tone, values }) => {
    const { path, alone } = lineThrough(
      values.map((value, index) => (value === null ? undefined : { x: middleOf(index), y: levelOf(value) })),
    );
    return (
      <g key={label}>
        <path className={`plot-line ${tone}`} d={path} />
        {alone.map(({ x, y }) => (
          <circle key={x} className={`plot-dot ${tone}`} cx={x} cy={y} r={2.4} />
        ))}
      </g>
    );
  });
}

function Legend({ series, form }: SeriesPlotProps) {
  return (
    <ul className="plot-legend small">
      {series.map(({ label, tone }) => (
        <li key={label}>
          <svg viewBox="0 0 20 10" aria-hidden="true">
            {form === 'bars' ? (
              <rect className={`plot-bar ${tone}`} x="4" y="0" width="10" height="10" />
            ) : (
              <path className={`plot-line ${tone}`} d="M0 5L20 5" />
            )}
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

function FigureTable({ title, times, series, format }: SeriesPlotProps) {
  const { t, i18n } = useTranslation();
  const known = times.flatMap((time, index) =>
    series.some(({ values }) => values[index] !== null) ? [{ time, index }] : [],
  );
  return (
    <details>
      <summary className="quiet small">{t('plot.asTable', { name: title })}</summary>
      <div className="plot-table small figures">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('plot.at')}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {known.map(({ time, index }) => (
              <tr key={time}>
                <th scope="row">{formatInstant(new Date(time).toISOString(), i18n.language)}</th>
                {series.map(({ label, values }) => (
                  <td key={label}>{figureText(values[index], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function valuesAt(series: readonly PlotSeries[], index: number, format: SeriesPlotProps['format']): readonly string[] {
  return series.map(({ label, values }) => `${label}: ${figureText(values[index], format)}`);
}

function figureText(value: number | null | undefined, format: SeriesPlotProps['format']): string {
  return value === null || value === undefined ? '–' : format(value);
}
