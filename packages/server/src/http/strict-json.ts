import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../runtime/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface JsonFaults {
  /** Whether a body of no bytes is a fault like any other text that is no JSON, or none at all. */
  readonly empty?: boolean;
  /** Whether no name may come twice in the object that a body is; else the last one counts. */
  readonly repeated?: boolean;
}

/** Fastify's own parser answers some faults with a 500, and reads bytes that are no UTF-8 as something else. */
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
 * The first name that comes again in the object that a JSON text is; undefined: none does. JSON.parse forgets all but the
 * last of them in silence, and no reviver hears of it. (A thousand phone numbers: 55 µs; JSON.parse takes 22.)
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

/**
 * Whether a body is said to be as it is. None is decompressed here: a small one can become any size. What says that it is
 * compressed must not be read as if it were not, since others on its way may have read another text in it. RFC 9110
 * §15.5.16 has 415 for it if one likes; here it is refused like another charset or media type.
 */
export function isPlain(contentEncoding: string): boolean {
  return /^(?:identity)?$/i.test(contentEncoding);
}

/** JSON with the fields of every object in one order: two requests that mean the same have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
