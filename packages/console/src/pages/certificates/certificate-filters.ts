/** What the list of certificates is narrowed down to, as it stands in the page's address. Pure. */

import { searchText } from '../../parts/narrowed.ts';

export const certificateStates = ['pending', 'issued', 'failed', 'revoked'] as const;
export type CertificateState = (typeof certificateStates)[number];

export interface CertificateFilters {
  readonly search?: string;
  readonly state?: CertificateState;
  /** Only what ends within so many days. */
  readonly expiring?: number;
}

/** Reads an address that people may have changed; what makes no sense is left out. */
export function certificateFilters(given: Readonly<Record<string, unknown>>): CertificateFilters {
  const { search, state, expiring } = given;
  const known = certificateStates.find((each) => each === state);
  const days = Number(expiring);
  const text = searchText(search);
  return {
    ...(text !== undefined && { search: text }),
    ...(known !== undefined && { state: known }),
    ...(Number.isInteger(days) && days > 0 && days <= 3650 && { expiring: days }),
  };
}

/** What the list asks the server for. */
export function certificateListInput(organizationId: string, filters: CertificateFilters, now: number) {
  return { params: { organization_id: organizationId }, query: certificateQuery(filters, now) };
}

/** The same as the operation's query. The end is a whole day's, so that the answer can be kept for a while. */
export function certificateQuery({ search, state, expiring }: CertificateFilters, now: number) {
  const dayMs = 86_400_000;
  return {
    ...(search !== undefined && { search }),
    ...(state !== undefined && { state }),
    ...(expiring !== undefined && {
      expires_before: new Date((Math.floor(now / dayMs) + expiring + 1) * dayMs).toISOString(),
    }),
  };
}
