import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { getCACertificates } from 'node:tls';
import { Problem } from '../../runtime/problem.ts';
import { codeOf } from '../person-files.ts';
import type { ApiReply, ApiRequest, Connection } from './exchange.ts';
import { readBody } from './read-body.ts';
import type { RemoteTarget } from './remote-target.ts';

/** For a connection; a server that is not there is told of soon. */
const connectMs = 15_000;
/** For all: a verification of a long audit trail takes minutes. */
const patienceMs = 15 * 60_000;

/** Over HTTP or HTTPS, by a management key; redirects are not followed, since the key would go with them. */
export function httpsConnection({ url, token, ca: named }: RemoteTarget): Connection {
  const ca = authorities(named);
  return {
    place: url,
    async exchange(request) {
      const headers = { ...request.headers, authorization: `Bearer ${token.reveal()}` };
      const once = (): Promise<ApiReply> => exchange(url, ca, { ...request, headers });
      try {
        return await once();
      } catch (error) {
        // What was cut off on its way may be asked again where that changes nothing.
        if (codeOf(error) !== 'ECONNRESET' || !isRepeatable(request)) throw unreachable(url, request, error);
        return once().catch((second: unknown) => Promise.reject(unreachable(url, request, second)));
      }
    },
    close: async () => {},
  };
}

function isRepeatable({ method, headers }: ApiRequest): boolean {
  return method === 'GET' || headers['idempotency-key'] !== undefined;
}

/** Node's own list with NODE_EXTRA_CA_CERTS, those of the system, and the one that was named. */
function authorities(named: string | undefined): string[] {
  return [...getCACertificates('default'), ...getCACertificates('system'), ...(named === undefined ? [] : [named])];
}

function exchange(url: string, ca: string[], { method, path, headers, body }: ApiRequest): Promise<ApiReply> {
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
    outgoing.on('response', (response) => readBody(response).then(resolve, reject));
    outgoing.end(body);
  });
}

class NoConnection extends Error {
  readonly code = 'no connection in time';
}

function unreachable(url: string, request: ApiRequest, cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const unknown = isRepeatable(request)
    ? ''
    : ' If it was reached, whether the command was carried out is not known: look before you repeat it.';
  const detail = `The server ${url} did not answer (${codeOf(cause)}).${unknown}`;
  return new Problem('service_unavailable', { field: 'server', detail, cause });
}
