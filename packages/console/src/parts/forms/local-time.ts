/** Times as the browser's own field has them: in its zone, without naming it. Pure but for the zone. */

/** RFC 3339 → `2026-01-31T08:05`, in the browser's zone; empty for none. */
export function toLocalField(at: string | null | undefined): string {
  const time = new Date(at ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The reverse; undefined for an empty field and before 1970: a year that is being typed is 0002, then 0020. */
export function fromLocalField(field: string): string | undefined {
  const time = new Date(field);
  return Number.isNaN(time.getTime()) || time.getFullYear() < 1970 ? undefined : time.toISOString();
}

/** Reads a time from a page's address, which people may have changed; undefined for what is no time. */
export function timeText(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const time = Date.parse(given);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
