import type { IncomingHttpHeaders } from 'node:http';
import { createSecureContext } from 'node:tls';
import { Agent } from 'undici';
import { codeOf } from '../../../outbound/target-guard.ts';
import { trustedRoots } from '../../chain/machine-roots.ts';

export interface AcmeResponse {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No whole answer came. */
export interface NoResponse {
  readonly kind: 'none';
  readonly words: string;
  /** Whether the authority may have got the request. */
  readonly isSent: boolean;
}

export interface ExchangeOptions {
  readonly userAgent: string;
  /** PEM of roots that are trusted besides those of the machine; for authorities of a company. */
  readonly extraRoots?: string;
  /** For one request with its answer. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** The largest chain is some kilobytes, a list of orders some more. */
const maxBytes = 1024 * 1024;

/**
 * Requests to one authority. Authorities are the operator's, so they may be on any network. TLS is always verified, no
 * redirect is followed, and no request is sent twice. Never rejects.
 */
export class AcmeExchange {
  readonly #agent: Agent;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ userAgent, extraRoots, timeoutMs = 30_000 }: ExchangeOptions) {
    this.#headers = { 'user-agent': userAgent, 'accept-language': 'en' };
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      allowH2: false,
      // Short, so that a kept connection is seldom closed by the authority just when a request leaves.
      keepAliveTimeout: 3000,
      keepAliveMaxTimeout: 3000,
      connect: {
        // Made once: reading all roots takes longer than a handshake.
        secureContext: createSecureContext({ ca: trustedRoots(extraRoots) }),
        // Said here, or NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would take every certificate.
        rejectUnauthorized: true,
      },
    });
  }

  /** @param request with a body it is sent by POST, as `application/jose+json` */
  async send(
    url: string,
    request: { readonly method: 'GET' | 'HEAD' } | { readonly method: 'POST'; readonly body: string },
    signal: AbortSignal,
  ): Promise<AcmeResponse | NoResponse> {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== 'https:') return none(`The authority named a URL that is not https: ${url}`, false);
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const type = request.method === 'POST' ? { 'content-type': 'application/jose+json' } : {};
    try {
      const { statusCode, headers, body } = await this.#agent.request({
        ...request,
        origin: parsed.origin,
        path: parsed.pathname + parsed.search,
        headers: { ...this.#headers, ...type },
        signal: AbortSignal.any([signal, timeout]),
      });
      const bytes = await readAll(body);
      if (bytes === undefined) return none(`The answer of ${parsed.host} is larger than 1 MiB.`);
      return { kind: 'answered', status: statusCode, headers, body: bytes };
    } catch (error) {
      if (signal.aborted) return none('The request was cut off on our side.');
      if (timeout.aborted) return none(`No answer of ${parsed.host} came in time.`);
      const reason = error instanceof Error ? error.message : String(error);
      return none(`No answer of ${parsed.host} came: ${reason} (${codeOf(error)}).`, !beforeSending.has(codeOf(error)));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Undefined: it is larger than `maxBytes`. */
async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const none = (words: string, isSent = true): NoResponse => ({ kind: 'none', words, isSent });

/** Errors of name resolution and of connecting. */
const beforeSending: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);
