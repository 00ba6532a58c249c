import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../runtime/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Fastify's own parser answers some faults with a 500, and reads bytes that are no UTF-8 as something else.
 * @param empty whether a body of no bytes is none at all, or a fault like any other text that is no JSON
 */
export function readStrictJson(scope: FastifyInstance, empty: 'none' | 'fault' = 'none'): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      if (body.length === 0 && empty === 'none') return undefined;
      if (!isInUtf8(headers['content-type'] ?? '')) {
        throw new Problem('invalid_request', { detail: 'The Content-Type names another charset than UTF-8.' });
      }
      try {
        return JSON.parse(utf8.decode(body)) as unknown;
      } catch (cause) {
        throw new Problem('invalid_request', { detail: 'The body is not JSON in UTF-8.', cause });
      }
    },
  );
}

/**
 * What a media type says of its charset, if anything (RFC 9110 §5.6.6). JSON needs none (RFC 8259 §11), but whoever names
 * another one has written in it: read as UTF-8, that is often another text and not always a fault.
 */
export function isInUtf8(contentType: string): boolean {
  const parameters = contentType.matchAll(/;\s*([^\s;=]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g);
  return [...parameters].every(
    ([, name = '', quoted, plain = '']) => !/^charset$/i.test(name) || /^utf-?8$/i.test(quoted ?? plain),
  );
}

/** JSON with the fields of every object in one order: two requests that mean the same have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
