/** A time that somebody may have changed in the page's address, as RFC 3339; undefined for what is none. Pure. */
export function timeText(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const time = Date.parse(given);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
