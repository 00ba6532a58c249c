import { filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export type AccountFilters = ReturnType<typeof accountFilters>;

/** What the list of people is narrowed down to: a whole email address, operators or others. Pure. */
export const accountFilters = filtersFrom({ email: searchText, operator: oneOf(['true', 'false']) });

export function accountQuery({ email, operator }: AccountFilters) {
  return { ...(email !== undefined && { email }), ...(operator !== undefined && { operator: operator === 'true' }) };
}
