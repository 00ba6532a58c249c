import type { IncomingHttpHeaders } from 'node:http';
import { parseRetryAfter } from '../../../outbound/retry-after.ts';

/** For how long an answer asks to stay away; null: it does not. @param now epoch milliseconds */
export function retryAfterOf(headers: IncomingHttpHeaders, now: number): number | null {
  const at = parseRetryAfter(headers['retry-after'] ?? '', now);
  return at === undefined ? null : Math.max(0, at - now);
}

/**
 * The targets of `Link` headers (RFC 8288) with a relation, made absolute. Only the plain form
 * `<url>;rel="relation"` is read, which is that of RFC 8555.
 */
export function linksOf(headers: string | readonly string[] | undefined, relation: string, base: string): string[] {
  const found = [
    ...[headers ?? []]
      .flat()
      .join(', ')
      .matchAll(/<([^<>]*)>([^<]*)/g),
  ];
  return found
    .filter(([, , parameters = '']) => relationsOf(parameters).includes(relation))
    .map(([, target = '']) => URL.parse(target, base)?.href)
    .filter((url) => url !== undefined);
}

function relationsOf(parameters: string): string[] {
  const [, quoted, token] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters) ?? [];
  return (quoted ?? token ?? '').toLowerCase().split(/\s+/);
}
