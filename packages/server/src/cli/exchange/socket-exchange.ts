import { request as sendRequest } from 'node:http';
import { Problem } from '../../runtime/problem.ts';
import { version } from '../../runtime/version.ts';
import { codeOf } from '../person-files.ts';
import type { ApiReply, ApiRequest } from './exchange.ts';
import { readBody } from './read-body.ts';
import { fitsSocketAddress, versionHeader } from './socket-path.ts';

/** A verification of a long audit trail takes minutes; a look at the status takes none. */
const patienceMs = { status: 5_000, operation: 15 * 60_000 } as const;

/**
 * @returns undefined when no server listens on the socket
 * @throws Problem that says why the server could not be asked
 */
export async function askSocket(socket: string, request: ApiRequest): Promise<ApiReply | undefined> {
  // A server on such a path could not have started.
  if (!fitsSocketAddress(socket)) return undefined;
  try {
    return await exchange(socket, request, patienceMs.operation);
  } catch (error) {
    return noAnswer(socket, error, patienceMs.operation);
  }
}

/** What the running server says of itself, as JSON. @returns undefined when no server listens on the socket */
export async function askStatus(socket: string): Promise<string | undefined> {
  if (!fitsSocketAddress(socket)) return undefined;
  try {
    return (await exchange(socket, { method: 'GET', path: '/status', headers: {} }, patienceMs.status)).text;
  } catch (error) {
    return noAnswer(socket, error, patienceMs.status);
  }
}

function noAnswer(socket: string, error: unknown, patience: number): undefined {
  switch (codeOf(error)) {
    // No socket, or one that a dead server left behind.
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return undefined;
    case 'EACCES':
      throw new Problem('conflict', {
        field: 'WAXWING_DATA',
        detail: `${socket} belongs to another account: run this as the account that runs the server.`,
        cause: error,
      });
    default: {
      if (error instanceof Problem) throw error;
      const why = codeOf(error) === 'ABORT_ERR' ? `no answer within ${patience / 1_000} s` : codeOf(error);
      throw new Problem('service_unavailable', {
        detail: `The server ended or hung before it answered (${why}): whether the command was carried out is not known. Look, and repeat it if it was not.`,
        cause: error,
      });
    }
  }
}

function exchange(socket: string, { method, path, headers, body }: ApiRequest, patience: number): Promise<ApiReply> {
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({
      socketPath: socket,
      method,
      path,
      agent: false,
      signal: AbortSignal.timeout(patience),
      headers: {
        host: 'waxwing',
        [versionHeader]: version,
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => readBody(response).then(resolve, reject));
    outgoing.end(body);
  });
}
