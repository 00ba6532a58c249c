import { SecretText } from '../../runtime/secret-text.ts';
import { headerLines, isBlank, trimBlanks } from './raw-headers.ts';

export type CredentialSource = 'bearer' | 'api-key' | 'query';

export type Credential =
  | { readonly kind: 'none' }
  /** Given more than once, so that nobody can say which one was meant: an invalid token. */
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'token'; readonly token: SecretText; readonly source: CredentialSource };

const absent: Credential = { kind: 'none' };
const ambiguous: Credential = { kind: 'ambiguous' };

/**
 * Finds the API token of a request. `Authorization: Bearer`, then `X-API-Key`, then `key`: the first one present and
 * not empty decides alone, right or wrong, and what comes after it is not even looked at; so an ambiguity further down
 * does not matter.
 *
 * - `Bearer` in any case; another scheme (Basic, added by a proxy) is passed over.
 * - A header given twice with the same token is one token; with different ones, or a Bearer beside another scheme, it is
 *   ambiguous. Empty lines do not count.
 * - `key` given twice is ambiguous, even with the same value, unless all are empty.
 * - Blanks around a header's token are dropped; a token in the query is taken exactly as decoded.
 *
 * Whether a deployment or messaging key takes a token from the query at all is decided where access to it is.
 *
 * @param rawHeaders as `IncomingMessage.rawHeaders`: Node's `headers` drops a second Authorization
 * @param keys every value of the query parameter `key`, decoded
 */
export function readCredential(rawHeaders: readonly string[], keys: readonly string[]): Credential {
  const bearer = fromHeader(headerLines(rawHeaders, 'authorization'), bearerToken, 'bearer');
  if (bearer.kind !== 'none') return bearer;
  const apiKey = fromHeader(headerLines(rawHeaders, 'x-api-key'), (line) => line, 'api-key');
  return apiKey.kind === 'none' ? fromQuery(keys) : apiKey;
}

/** `read` gives a line's token, empty when there is none, undefined when the line speaks of something else. */
function fromHeader(
  lines: readonly string[],
  read: (line: string) => string | undefined,
  source: CredentialSource,
): Credential {
  const given = lines.length === 0 ? lines : lines.map(read).filter((token) => token !== '');
  const token = given.find((candidate) => candidate !== undefined);
  if (token === undefined) return absent;
  return given.every((other) => other === token) ? toCredential(token, source) : ambiguous;
}

function fromQuery(keys: readonly string[]): Credential {
  const token = keys.find((key) => key !== '');
  if (token === undefined) return absent;
  return keys.length === 1 ? toCredential(token, 'query') : ambiguous;
}

function toCredential(token: string, source: CredentialSource): Credential {
  return { kind: 'token', token: new SecretText(token), source };
}

function bearerToken(line: string): string | undefined {
  if (line === '') return '';
  if (line.slice(0, 6).toLowerCase() !== 'bearer') return undefined;
  if (line.length === 6) return '';
  return isBlank(line.charCodeAt(6)) ? trimBlanks(line.slice(6)) : undefined;
}
