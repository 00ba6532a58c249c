import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { getCACertificates } from 'node:tls';
import { Problem } from '../runtime/problem.ts';
import { codeOf } from './person-files.ts';
import type { RemoteTarget } from './remote-target.ts';
import { readWholeAnswer } from './whole-answer.ts';

export interface RemoteRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RemoteReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** One request and its answer. @throws Problem when there is none */
export type Exchange = (request: RemoteRequest) => Promise<RemoteReply>;

/** For a connection; a server that is not there is told of soon. */
const connectMs = 15_000;
/** For all: a verification of a long audit trail takes minutes. */
const patienceMs = 15 * 60_000;

/** Over HTTP or HTTPS; redirects are not followed, since the key would go with them. */
export function remoteExchange(target: Pick<RemoteTarget, 'url' | 'ca'>): Exchange {
  const ca = authorities(target.ca);
  return async (request) => {
    const once = (): Promise<RemoteReply> => exchange(target.url, ca, request);
    try {
      return await once();
    } catch (error) {
      // What was cut off on its way may be asked again where that changes nothing.
      if (codeOf(error) !== 'ECONNRESET' || !isRepeatable(request)) throw unreachable(target.url, request, error);
      return once().catch((second: unknown) => Promise.reject(unreachable(target.url, request, second)));
    }
  };
}

function isRepeatable({ method, headers }: RemoteRequest): boolean {
  return method === 'GET' || headers['idempotency-key'] !== undefined;
}

/** Node's own list with NODE_EXTRA_CA_CERTS, those of the system, and the one that was named. */
function authorities(named: string | undefined): string[] {
  return [...getCACertificates('default'), ...getCACertificates('system'), ...(named === undefined ? [] : [named])];
}

function exchange(url: string, ca: string[], { method, path, headers, body }: RemoteRequest): Promise<RemoteReply> {
  const whole = new URL(path, url);
  const options = { method, headers, agent: false as const, signal: AbortSignal.timeout(patienceMs) };
  return new Promise((resolve, reject) => {
    const outgoing =
      whole.protocol === 'https:' ? requestSecure(whole, { ...options, ca }) : requestPlain(whole, options);
    outgoing.on('socket', (socket) => {
      const late = setTimeout(() => outgoing.destroy(new NoConnection()), connectMs);
      socket.once(whole.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(late));
      socket.once('close', () => clearTimeout(late));
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => readReply(response).then(resolve, reject));
    outgoing.end(body);
  });
}

class NoConnection extends Error {
  readonly code = 'no connection in time';
}

async function readReply(response: IncomingMessage): Promise<RemoteReply> {
  const text = await readWholeAnswer(response);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

function unreachable(url: string, request: RemoteRequest, cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const unknown = isRepeatable(request)
    ? ''
    : ' If it was reached, whether the command was carried out is not known: look before you repeat it.';
  const detail = `The server ${url} did not answer (${codeOf(cause)}).${unknown}`;
  return new Problem('service_unavailable', { field: 'server', detail, cause });
}
