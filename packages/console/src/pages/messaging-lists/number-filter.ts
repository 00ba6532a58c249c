import { searchText } from '../../parts/narrowed.ts';

/** A list of numbers narrowed down to one, as it stands in the page's address. Pure. */
export interface NumberFilter {
  readonly search?: string;
}

/** Reads an address that people may have changed. */
export function numberFilter(given: Readonly<Record<string, unknown>>): NumberFilter {
  const search = searchText(given.search);
  return search === undefined ? {} : { search };
}

/** The same as the operation's query. */
export function numberQuery({ search }: NumberFilter) {
  return search === undefined ? {} : { number: search };
}

export const blockedTabs = ['numbers', 'words'] as const;

export interface BlockedFilter extends NumberFilter {
  readonly tab?: (typeof blockedTabs)[number];
}

export function blockedFilter(given: Readonly<Record<string, unknown>>): BlockedFilter {
  const tab = blockedTabs.find((each) => each === given.tab);
  return { ...numberFilter(given), ...(tab !== undefined && { tab }) };
}
