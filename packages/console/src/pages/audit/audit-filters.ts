/** What the audit trail is narrowed down to, as it stands in the page's address. Pure. */

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
    const value = given[name];
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) kept[name] = new Date(value).toISOString();
  }
  return kept;
}

/** Without those that were taken away. */
export function withFilter(
  filters: AuditFilters,
  change: { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined },
): AuditFilters {
  return auditFilters({ ...filters, ...change });
}

/** An instant as a field of the browser's own zone takes it (`2026-01-31T08:00`), and back. */
export function toLocalField(at: string | undefined): string {
  if (at === undefined) return '';
  const moment = new Date(at);
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export function fromLocalField(text: string): string | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
