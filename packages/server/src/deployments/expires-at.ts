/** The form has four digits for the year, and X.509 writes "does not expire" as this very moment (RFC 5280 §4.1.2.5). */
const LAST = '9999-12-31 23:59:59';
const END_OF_9999_UTC = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

let latest: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | undefined;

/**
 * `YYYY-MM-DD HH:MM:SS` in a time zone. At most the last second of the year 9999. Where clocks are set back, one hour
 * of the year is shown twice: that lies in the form, which has no offset.
 * @param epochMs from the year 1 on
 * @param timeZone IANA name
 * @throws RangeError when the time zone is unknown or the moment is no number
 */
export function expiresAt(epochMs: number, timeZone: string): string {
  if (epochMs > END_OF_9999_UTC) return LAST;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatFor(timeZone).formatToParts(epochMs)) parts[type] = value;
  const year = (parts.year ?? '').padStart(4, '0');
  if (year.length > 4) return LAST;
  return `${year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`;
}

/** A formatter takes 30 µs to make, and an instance has one time zone. */
function formatFor(timeZone: string): Intl.DateTimeFormat {
  if (latest?.timeZone !== timeZone) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      // Said outright: what `hour12: false` calls midnight, 00 or 24, has changed with the ECMA-402 edition.
      hourCycle: 'h23',
    });
    latest = { timeZone, format };
  }
  return latest.format;
}
