import { createHash } from 'node:crypto';
import { Problem } from '../runtime/problem.ts';

/**
 * The ETag of settings: over the fields named, so that figures which change by themselves do not touch it, and so that
 * the same settings have the same tag wherever they are shown.
 */
export function settingsTag(shown: object, fields: readonly string[]): string {
  const values = fields.map((field) => (shown as Record<string, unknown>)[field] ?? null);
  return `"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 27)}"`;
}

/**
 * Whether `If-Match` (RFC 9110 §13.1.1) names the tag: strong comparison, so a weak one never does.
 * @throws Problem `precondition_required` without the header, `precondition_failed` when the tag is another one
 */
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
