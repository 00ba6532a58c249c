import type { FetchIssuer } from '@waxwing/pki/complete-chain.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { guardedRequest } from '../../outbound/guarded-request.ts';
import { parseTargetUrl } from '../../outbound/target-url.ts';

/**
 * Asks the URLs that certificates name for the certificate of their issuer (RFC 5280 §4.2.2.1). Whoever imports a
 * certificate chooses them, so the guard holds for them.
 */
export function createFetchIssuer(needs: { readonly agent: GuardedAgent; readonly userAgent: string }): FetchIssuer {
  const headers = { 'user-agent': needs.userAgent };
  return async (url, limits) => {
    const parsed = parseTargetUrl(url);
    if (!parsed.ok) return { kind: 'blocked' };
    const { target } = parsed;
    const end = await guardedRequest(needs.agent, { target, query: target.ownQuery, headers }, limits);
    if (end.kind === 'blocked') return { kind: 'blocked' };
    if (end.kind === 'timedOut') return { kind: 'timed_out' };
    if (end.kind !== 'answered') return { kind: 'unreachable' };
    if (end.status !== 200) return { kind: 'status', status: end.status };
    return end.truncated ? { kind: 'too_large' } : { kind: 'fetched', bytes: end.body };
  };
}
