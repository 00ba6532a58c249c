import { timeText } from '../../parts/forms/local-time.ts';
import { filtersFrom, searchText } from '../../parts/tables/list-filters.ts';

export type AuditFilters = ReturnType<typeof auditFilters>;

/** What the audit trail is narrowed down to. Pure. */
export const auditFilters = filtersFrom({
  organization: searchText,
  actor: searchText,
  action: searchText,
  subject: searchText,
  since: timeText,
  until: timeText,
});

/** Whether a text can be an id: a search for a name or a domain would find nothing. */
export function isIdForm(text: string): boolean {
  return /^[\da-f-]{8,}$/i.test(text) && /\d/.test(text);
}
