import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import { guardedRequest } from '../outbound/guarded-request.ts';
import { parseTargetUrl } from '../outbound/target-url.ts';

/** What a request for the certificate of an issuer came to. */
export type IssuerAnswer =
  | { readonly kind: 'fetched'; readonly bytes: Uint8Array }
  /** Not asked: the URL leads nowhere public. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'too_large' }
  /** Any status but 200. */
  | { readonly kind: 'status'; readonly status: number };

const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;

/**
 * Asks the URLs that certificates name for the certificate of their issuer (RFC 5280 §4.2.2.1). Whoever imports a
 * certificate chooses them, so the guard holds for them.
 * @returns asks one URL once; never rejects
 */
export function createFetchIssuer(needs: {
  readonly agent: GuardedAgent;
  readonly userAgent: string;
}): (url: string, signal: AbortSignal) => Promise<IssuerAnswer> {
  const headers = { 'user-agent': needs.userAgent };
  return async (url, signal) => {
    const parsed = parseTargetUrl(url);
    if (!parsed.ok) return { kind: 'blocked' };
    const { target } = parsed;
    const limits = { timeoutMs, maxBytes, signal };
    const end = await guardedRequest(needs.agent, { target, query: target.ownQuery, headers }, limits);
    if (end.kind === 'blocked') return { kind: 'blocked' };
    if (end.kind === 'timedOut') return { kind: 'timed_out' };
    if (end.kind !== 'answered') return { kind: 'unreachable' };
    if (end.status !== 200) return { kind: 'status', status: end.status };
    return end.truncated ? { kind: 'too_large' } : { kind: 'fetched', bytes: end.body };
  };
}
