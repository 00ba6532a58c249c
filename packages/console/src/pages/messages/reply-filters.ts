/** What the list of replies is narrowed down to, as it stands in the page's address. Pure. */

import { searchText } from '../../parts/narrowed.ts';

export const replyKinds = ['yes', 'no'] as const;

export interface ReplyFilters {
  /** A phone number. */
  readonly search?: string;
  /** Only those that opted out, or only others. */
  readonly stop?: (typeof replyKinds)[number];
}

/** Reads an address that people may have changed; what makes no sense is left out. */
export function replyFilters(given: Readonly<Record<string, unknown>>): ReplyFilters {
  const search = searchText(given.search);
  const stop = replyKinds.find((each) => each === given.stop);
  return { ...(search !== undefined && { search }), ...(stop !== undefined && { stop }) };
}

/** The same as the operation's query. */
export function replyQuery({ search, stop }: ReplyFilters) {
  return { ...(search !== undefined && { mobile: search }), ...(stop !== undefined && { stop: stop === 'yes' }) };
}
