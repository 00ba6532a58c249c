import { defined, filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export const certificateStates = ['pending', 'issued', 'failed', 'revoked'] as const;

export type CertificateFilters = ReturnType<typeof certificateFilters>;

/** The filters of the list of certificates. `expiring`: only certificates that expire within so many days. Pure. */
export const certificateFilters = filtersFrom({
  search: searchText,
  state: oneOf(certificateStates),
  expiring: daysOf,
});

function daysOf(given: unknown): number | undefined {
  const days = Number(given);
  return Number.isInteger(days) && days > 0 && days <= 3650 ? days : undefined;
}

export function certificateListInput(organizationId: string, filters: CertificateFilters, now: number) {
  return { params: { organization_id: organizationId }, query: certificateQuery(filters, now) };
}

const dayMs = 86_400_000;

/** The same as the operation's query. The end is a whole day's, so that the answer can be kept for a while. */
export function certificateQuery({ search, state, expiring }: CertificateFilters, now: number) {
  const endOf = (days: number) => new Date((Math.floor(now / dayMs) + days + 1) * dayMs).toISOString();
  return defined({ search, state, expires_before: expiring === undefined ? undefined : endOf(expiring) });
}
