/** Times as people read them, in the browser's zone, which they name. Pure but for the zone. */

/** RFC 3339 → `2026-01-31 08:05:09 +08`. */
export function formatInstant(at: string, language: string): string {
  return `${formatLocal(at, language)} ${zoneOf(at)}`;
}

/** The same without the zone, for callers that show it apart; `dateOnly`: `2026-01-31`. */
export function formatLocal(at: string, language: string, dateOnly = false): string {
  return formatOf(language, dateOnly).format(new Date(at)).replaceAll('/', '-').replace(', ', ' ');
}

/** How far the browser's zone is from UTC at this time: `+08`, `-03:30`, `+00`. */
export function zoneOf(at: string): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${two(hours)}${rest === 0 ? '' : `:${two(rest)}`}`;
}

/** Cached by language and length: creating a format takes longer than formatting a whole table. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: string, dateOnly: boolean): Intl.DateTimeFormat {
  const key = `${language} ${dateOnly}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  // Year, month, day in both languages: sortable by eye and unambiguous.
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-CA' : language, {
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
    ...(!dateOnly && ({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const)),
  });
  formats.set(key, format);
  return format;
}
