import { failureWords } from '../../../outbound/failure-words.ts';
import type { GuardedAgent } from '../../../outbound/guarded-agent.ts';
import { guardedRequest } from '../../../outbound/guarded-request.ts';
import { parseTargetUrl } from '../../../outbound/target-url.ts';

/** A request to a provider as data, signed already. `host` is not among the headers that are sent by name. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ProviderAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly words: string; readonly temporary: boolean };

/** Sends one request. Never rejects. */
export type SendRequest = (request: ProviderRequest, signal: AbortSignal) => Promise<ProviderAnswer>;

const timeoutMs = 20_000;
const maxBytes = 1024 * 1024;

export function createSendRequest(needs: { readonly agent: GuardedAgent; readonly userAgent: string }): SendRequest {
  return async ({ method, url, headers, body }, signal) => {
    const parsed = parseTargetUrl(url);
    if (!parsed.ok) return { kind: 'failed', words: parsed.fault.message, temporary: false };
    const { target } = parsed;
    const end = await guardedRequest(
      needs.agent,
      {
        target,
        query: target.ownQuery,
        headers: { ...headers, 'user-agent': needs.userAgent },
        ...(body === undefined ? {} : { body }),
        ...(method === 'PUT' || method === 'DELETE' ? { method } : {}),
      },
      { timeoutMs, maxBytes, signal },
    );
    if (end.kind !== 'answered') {
      return { kind: 'failed', words: failureWords(end), temporary: end.kind !== 'blocked' };
    }
    // What private pages say is for nobody's eyes.
    return { kind: 'answered', status: end.status, body: end.mayShow ? end.body.toString() : '' };
  };
}
