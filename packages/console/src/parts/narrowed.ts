/** Filters as they stand in a page's address. Pure. */

/** The filters after a change; what became undefined is no filter any more. */
export function narrowed<Filters extends object>(
  filters: Filters,
  change: { [Name in keyof Filters]?: Filters[Name] | undefined },
): Filters {
  const entries = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Filters;
}

/** A text as somebody searches for it; the router reads figures as a number. Undefined for none. */
export function searchText(given: unknown): string | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  return String(given).trim().slice(0, 200) || undefined;
}
