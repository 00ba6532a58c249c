import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../runtime/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

interface JsonFaults {
  /** Whether an empty body is refused. */
  readonly empty?: boolean;
  /** Whether a repeated name in the body's object is refused. By default the last one counts. */
  readonly repeated?: boolean;
}

/** Fastify's own parser answers some faults with a 500, and misreads bytes that are not UTF-8. */
export function readStrictJson(scope: FastifyInstance, faults: JsonFaults = {}): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      if (body.length === 0 && faults.empty !== true) return undefined;
      if (!isInUtf8(headers['content-type'] ?? '')) {
        throw new Problem('invalid_request', { detail: 'The Content-Type names another charset than UTF-8.' });
      }
      if (!isPlain(headers['content-encoding'] ?? '')) {
        throw new Problem('invalid_request', { detail: 'The body has a Content-Encoding. Send it without one.' });
      }
      const { text, value } = parse(body);
      const field = faults.repeated === true ? repeatedName(text) : undefined;
      if (field !== undefined) throw new Problem('invalid_parameter', { field, detail: `${field} is given twice.` });
      return value;
    },
  );
}

function parse(body: Buffer): { readonly text: string; readonly value: unknown } {
  try {
    const text = utf8.decode(body);
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    throw new Problem('invalid_request', { detail: 'The body is not JSON in UTF-8.', cause });
  }
}

/**
 * The first repeated name in a JSON object, if any. JSON.parse silently keeps the last one, and no reviver hears of it.
 */
export function repeatedName(text: string): string | undefined {
  const names = new Set<string>();
  let depth = 0;
  for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

/** Whether the charset (RFC 9110 §5.6.6) is UTF-8, JSON's only one. Another would be misread, often without a fault. */
export function isInUtf8(contentType: string): boolean {
  const parameters = contentType.matchAll(/;\s*([^\s;=]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g);
  return [...parameters].every(
    ([, name = '', quoted, plain = '']) => !/^charset$/i.test(name) || /^utf-?8$/i.test(quoted ?? plain),
  );
}

/** Whether the body is uncompressed. The server decompresses nothing, because a small body can become any size. */
export function isPlain(contentEncoding: string): boolean {
  return /^(?:identity)?$/i.test(contentEncoding);
}

/** JSON with sorted fields: requests with the same meaning have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
