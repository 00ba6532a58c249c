import { defined, filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export const replyKinds = ['yes', 'no'] as const;

export type ReplyFilters = ReturnType<typeof replyFilters>;

/** What the list of replies is narrowed down to: a phone number, opt-outs or others. Pure. */
export const replyFilters = filtersFrom({ search: searchText, stop: oneOf(replyKinds) });

export function replyQuery({ search, stop }: ReplyFilters) {
  return defined({ mobile: search, stop: stop && stop === 'yes' });
}
