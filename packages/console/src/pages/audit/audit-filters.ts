/** What the audit trail is narrowed down to, as it stands in the page's address. Pure. */

import { timeText } from '../../parts/local-time.ts';

export interface AuditFilters {
  readonly organization?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly until?: string;
}

const texts = ['organization', 'actor', 'action', 'subject'] as const;
const times = ['since', 'until'] as const;

/** Reads an address that people may have changed; what makes no sense is left out. */
export function auditFilters(given: Readonly<Record<string, unknown>>): AuditFilters {
  const kept: Record<string, string> = {};
  for (const name of texts) {
    const value = given[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text.trim() !== '') kept[name] = text.trim().slice(0, 200);
  }
  for (const name of times) {
    const at = timeText(given[name]);
    if (at !== undefined) kept[name] = at;
  }
  return kept;
}

/** Whether a text can be the id of something: a name or a domain is none, and would find nothing. */
export function isIdForm(text: string): boolean {
  return /^[\da-f-]{8,}$/i.test(text) && /\d/.test(text);
}

/** Without those that were taken away. */
export function withFilter(
  filters: AuditFilters,
  change: { readonly [Name in keyof AuditFilters]?: AuditFilters[Name] | undefined },
): AuditFilters {
  return auditFilters({ ...filters, ...change });
}
