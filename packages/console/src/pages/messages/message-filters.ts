/** What the list of messages is narrowed down to, as it stands in the page's address. Pure. */

import { timeText } from '../../parts/local-time.ts';
import { searchText } from '../../parts/narrowed.ts';

export const messageStatuses = ['DELIVRD', 'UNDELIV', 'REJECTED', 'open'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export interface MessageFilters {
  /** A phone number or the id of a batch. */
  readonly search?: string;
  readonly status?: MessageStatus;
  /** When they were accepted, RFC 3339. */
  readonly since?: string;
  readonly until?: string;
}

/** Reads an address that people may have changed; what makes no sense is left out. */
export function messageFilters(given: Readonly<Record<string, unknown>>): MessageFilters {
  const search = searchText(given.search);
  const status = messageStatuses.find((each) => each === given.status);
  const [since, until] = [timeText(given.since), timeText(given.until)];
  return {
    ...(search !== undefined && { search }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** What the list asks the server for. */
export function messageListInput(organizationId: string, filters: MessageFilters) {
  return { params: { organization_id: organizationId }, query: messageQuery(filters) };
}

/** The same as the operation's query. */
export function messageQuery({ search, status, since, until }: MessageFilters) {
  return {
    ...(search !== undefined && searchQuery(search)),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { accepted_since: since }),
    ...(until !== undefined && { accepted_before: until }),
  };
}

/** No phone number has more figures than this (E.164), and no way of writing one has letters. */
const mostFigures = 15;

function searchQuery(search: string): { readonly batch_id: string } | { readonly mobile: string } {
  const figures = search.replace(/\D/g, '').length;
  return /[a-z]/i.test(search) || figures > mostFigures ? { batch_id: search } : { mobile: search };
}
