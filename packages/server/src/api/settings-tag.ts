import { createHash } from 'node:crypto';
import { Problem } from '../runtime/problem.ts';

/** The ETag of settings, over the named fields only: figures that change by themselves do not affect it. */
export function settingsTag(shown: object, fields: readonly string[]): string {
  const values = fields.map((field) => (shown as Record<string, unknown>)[field] ?? null);
  return `"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 27)}"`;
}

/** Compares `If-Match` strongly (RFC 9110 §13.1.1). @throws Problem `precondition_required`, `precondition_failed` */
export function requireTag(ifMatch: string | undefined, tag: string): void {
  requireIfMatch(ifMatch);
  if (ifMatch?.trim() === '*') return;
  const named: readonly string[] = ifMatch?.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (!named.includes(tag)) throw new Problem('precondition_failed');
}

/** @throws Problem `precondition_required` */
export function requireIfMatch(ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '') throw new Problem('precondition_required', { field: 'If-Match' });
}
