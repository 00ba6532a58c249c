import { defined, filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export type NumberFilter = ReturnType<typeof numberFilter>;
export type BlockedFilter = ReturnType<typeof blockedFilter>;

/** A list of numbers narrowed down to one. Pure. */
export const numberFilter = filtersFrom({ search: searchText });

export const blockedFilter = filtersFrom({ search: searchText, tab: oneOf(['numbers', 'words']) });

export function numberQuery({ search }: NumberFilter) {
  return defined({ number: search });
}
