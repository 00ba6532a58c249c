const month = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;
/** The three forms of an HTTP date (RFC 9110 §5.6.7), the two obsolete ones behind. */
const forms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/**
 * When a `Retry-After` header (RFC 9110 §10.2.3: seconds, or an HTTP date) asks to come again.
 * @returns epoch ms, possibly in the past; undefined when it cannot be read
 */
export function parseRetryAfter(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return now + Number(trimmed) * 1000;
  const date = forms.map((form) => form.exec(trimmed)?.groups).find((groups) => groups !== undefined);
  if (date === undefined) return undefined;
  const parsed = Date.parse(`${date.day?.trim()} ${date.month} ${fullYear(date.year ?? '', now)} ${date.time} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** Two digits mean the year in this century, unless that is more than 50 years ahead (RFC 9110 §5.6.7). */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
