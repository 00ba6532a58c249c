import { filtersFrom } from '../../parts/tables/list-filters.ts';

/** What narrows the list below the calendar. */
export const renewalFilters = filtersFrom({ day: dayFrom });

function dayFrom(given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(given)) return undefined;
  return Number.isNaN(Date.parse(given)) ? undefined : given;
}
