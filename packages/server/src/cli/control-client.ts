import { request } from 'node:http';
import { Problem } from '../runtime/problem.ts';
import { version } from '../runtime/version.ts';
import {
  type ControlReply,
  type ControlRequest,
  commandPath,
  fitsSocketAddress,
  toProblem,
  versionHeader,
} from './control-protocol.ts';
import { codeOf } from './person-files.ts';
import { readWholeAnswer } from './whole-answer.ts';

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** A verification of a long audit trail takes minutes; a look at the status takes none. */
const patienceMs = { GET: 5_000, POST: 15 * 60_000 } as const;

/**
 * Runs a command in the server that listens on the socket.
 * @returns undefined when no server does
 * @throws Problem that the server answered, or that says why it could not be asked
 */
export async function callServer(socket: string, name: string, call: ControlRequest): Promise<object | undefined> {
  const text = await askServer(socket, { method: 'POST', path: commandPath(name), body: JSON.stringify(call) });
  if (text === undefined) return undefined;
  const reply = parse(text) as ControlReply;
  if (reply.ok) return reply.answer;
  throw toProblem(reply.problem);
}

/** @returns the body of the answer; undefined when no server listens on the socket */
export async function askServer(socket: string, question: Question): Promise<string | undefined> {
  // A server on such a path could not have started.
  if (!fitsSocketAddress(socket)) return undefined;
  try {
    return await exchange(socket, question);
  } catch (error) {
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
        const isHung = codeOf(error) === 'ABORT_ERR';
        const why = isHung ? `no answer within ${patienceMs[question.method] / 1_000} s` : codeOf(error);
        throw new Problem('service_unavailable', {
          detail: `The server ended or hung before it answered (${why}): whether the command was carried out is not known. Look, and repeat it if it was not.`,
          cause: error,
        });
      }
    }
  }
}

function exchange(socket: string, { method, path, body }: Question): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath: socket,
      method,
      path,
      agent: false,
      signal: AbortSignal.timeout(patienceMs[method]),
      headers: {
        host: 'waxwing',
        [versionHeader]: version,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => readWholeAnswer(response).then(resolve, reject));
    outgoing.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('internal_error', {
      detail: 'What answered on the control socket is not a Waxwing server.',
      cause,
    });
  }
}
