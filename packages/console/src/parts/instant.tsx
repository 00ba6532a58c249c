import { useTranslation } from 'react-i18next';

export interface InstantProps {
  /** RFC 3339. */
  readonly at: string;
  readonly dateOnly?: boolean;
}

/** A time in the browser's zone; the exact instant, in UTC, on hover. */
export function Instant({ at, dateOnly = false }: InstantProps) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={at} title={at}>
      {formatInstant(at, i18n.language, dateOnly)}
    </time>
  );
}

export function formatInstant(at: string, language: string, dateOnly = false): string {
  return formatOf(language, dateOnly).format(new Date(at)).replaceAll('/', '-').replace(', ', ' ');
}

/** One for each language and each length: making one takes longer than formatting a whole table. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: string, dateOnly: boolean): Intl.DateTimeFormat {
  const key = `${language} ${dateOnly}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  // Year, month, day in both languages: sortable by eye, and never read the wrong way round.
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-CA' : language, {
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
    ...(!dateOnly && ({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const)),
  });
  formats.set(key, format);
  return format;
}
