import { randomBytes } from 'node:crypto';

/** Names one request, in its answer and in the log. Made here: a client's own could forge lines of the log. */
export function newRequestId(): string {
  return randomBytes(8).toString('hex');
}

/** What every answer of the management API carries: nothing of it is stored, framed, sniffed or run. */
export function apiHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ...everywhere(baseUrl),
  };
}

/** The headers of a page that we serve; the policy comes with the page. */
export function pageHeaders(baseUrl: string, policy: string): Readonly<Record<string, string>> {
  return { 'cache-control': 'no-cache', 'content-security-policy': policy, ...everywhere(baseUrl) };
}

function everywhere(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
