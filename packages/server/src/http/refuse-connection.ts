import type { Duplex } from 'node:stream';
import { Problem } from '../runtime/problem.ts';
import { errorAnswer } from './error-handler.ts';
import { spelling } from './spelled-response.ts';

/** How long a refused client may take to read the answer before the socket is closed under it. */
const LINGER_MS = 1_000;

/**
 * Answers bytes that are no HTTP request (bad framing, headers too large or too late) with the 400 envelope and closes.
 *
 * - It is sent at once. An answer to a request before it that is not ready by then is not sent any more.
 * - The socket is half-closed and what still arrives is swallowed for a moment. Closed at once with bytes unread, TCP
 *   would answer them with a reset, and the client would lose the refusal it has not read yet.
 * - A parser that has failed fails again on each further chunk, so there are later calls for the same socket.
 * - The socket of a CONNECT comes without an error listener: a reset by the client would end the process.
 */
export function refuseConnection(socket: Duplex, now: number): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  socket.on('error', () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(deadline));
  socket.end(rawRefusal(now));
  socket.resume();
}

const refused = new WeakSet<Duplex>();

function rawRefusal(now: number): string {
  const { headers, body } = errorAnswer(new Problem('invalid_request'), 'envelope', now);
  const lines = Object.entries({
    ...headers,
    date: new Date(now).toUTCString(),
    'content-length': `${Buffer.byteLength(body)}`,
    connection: 'close',
  }).map(([name, value]) => `${spelling(name)}: ${value}`);
  return ['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n');
}
