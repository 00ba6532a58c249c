import { timeText } from '../../parts/forms/local-time.ts';
import { defined, filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export const messageStatuses = ['DELIVRD', 'UNDELIV', 'REJECTED', 'open'] as const;

export type MessageFilters = ReturnType<typeof messageFilters>;

/** What the list of messages is narrowed down to: a number or batch, a status, when they were accepted. Pure. */
export const messageFilters = filtersFrom({
  search: searchText,
  status: oneOf(messageStatuses),
  since: timeText,
  until: timeText,
});

export function messageListInput(organizationId: string, filters: MessageFilters) {
  return { params: { organization_id: organizationId }, query: messageQuery(filters) };
}

export function messageQuery({ search, status, since, until }: MessageFilters) {
  return {
    ...(search !== undefined && searchQuery(search)),
    ...defined({ status, accepted_since: since, accepted_before: until }),
  };
}

/** No phone number has more digits (E.164) or letters. */
const mostFigures = 15;

function searchQuery(search: string): { readonly batch_id: string } | { readonly mobile: string } {
  const figures = search.replace(/\D/g, '').length;
  return /[a-z]/i.test(search) || figures > mostFigures ? { batch_id: search } : { mobile: search };
}
