import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { countRenewals } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { renewalDays } from '@waxwing/contract/renewal-days.ts';
import { useTranslation } from 'react-i18next';
import { weeksFrom } from './calendar-days.ts';

interface RenewalGridProps {
  readonly counts: AnswerOf<typeof countRenewals>;
  readonly chosen: string | undefined;
  readonly onChoose: (day: string | undefined) => void;
}

/** A busy day is worth a look: more than this share of all that are planned. */
const busyShare = 0.2;
const fewOnes = 5;

/** The coming days, each with the number of its renewals. A day narrows the list below it. */
export function RenewalGrid({ counts, chosen, onChoose }: RenewalGridProps) {
  const { t, i18n } = useTranslation();
  const planned = new Map(counts.days.map((each) => [each.day, each.planned]));
  const all = counts.days.reduce((sum, each) => sum + each.planned, 0);
  const weeks = weeksFrom(counts.from, renewalDays);
  const format = (day: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(i18n.language, { ...options, timeZone: 'UTC' }).format(Date.parse(day));
  // A Monday.
  const weekdays = Array.from({ length: 7 }, (_, index) => format(`2024-01-0${index + 1}`, { weekday: 'short' }));
  return (
    <section className="panel stack tight" aria-label={t('issuing.calendar.days')}>
      <div className="days">
        {weekdays.map((day) => (
          <span key={day} aria-hidden>
            {day}
          </span>
        ))}
        {weeks.flat().map((day, index) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: places of the grid
          if (day === null) return <span key={`outside ${index}`} />;
          const count = planned.get(day) ?? 0;
          const tone = count === 0 ? '' : count > fewOnes && count > all * busyShare ? 'many' : 'some';
          const date = format(day, { month: 'long', day: 'numeric', weekday: 'long' });
          return (
            <button
              key={day}
              type="button"
              className={`day figures ${tone} ${day === counts.from ? 'today' : ''}`}
              aria-pressed={day === chosen}
              disabled={count === 0 && day !== chosen}
              onClick={() => onChoose(day === chosen ? undefined : day)}
            >
              <span className="visually-hidden">{`${date}: ${t('issuing.calendar.count', { count })}`}</span>
              <span className="day-date" aria-hidden>
                {format(day, { month: 'numeric', day: 'numeric' })}
              </span>
              <span className="day-count" aria-hidden>
                {count > 0 && count}
              </span>
            </button>
          );
        })}
      </div>
      <span className="quiet small figures">{t('issuing.calendar.sum', { count: all })}</span>
    </section>
  );
}
