import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../runtime/problem.ts';
import { errorAnswer } from './error-handler.ts';
import { spelling } from './spelled-response.ts';

/** How long a refused client may take to read the answer before the socket is closed under it. */
const LINGER_MS = 1_000;

/**
 * Answers bytes that are no HTTP request (bad framing, headers too large or too late) with the 400 envelope and closes.
 *
 * - A response still in flight on the same connection goes first: written into the middle of it, the refusal would
 *   be taken for its end. Unless it is that of the very request that broke off, and has not begun: whoever waits for the rest of
 *   that request's body waits in vain, and would keep the connection.
 * - The socket is half-closed and what still arrives is swallowed for a moment. Closed at once with bytes unread, TCP
 *   would answer them with a reset, and the client would lose the refusal it has not read yet.
 * - A parser that has failed fails again on each further chunk, so there are later calls for the same socket.
 * - The socket of a CONNECT comes without an error listener: a reset by the client would end the process.
 */
export function refuseConnection(socket: Duplex, now: number): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  socket.on('error', () => socket.destroy());
  answerInTurn(socket, now);
}

const refused = new WeakSet<Duplex>();

function answerInTurn(socket: Duplex, now: number): void {
  const inFlight = responseInFlight(socket);
  if (inFlight !== undefined && (inFlight.req.complete || inFlight.headersSent)) {
    inFlight.once('close', () => answerInTurn(socket, now));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(deadline));
  socket.end(rawRefusal(now));
  socket.resume();
}

/** Node keeps the response being written on the socket; there is no public way to ask. */
function responseInFlight(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }) {
  return socket._httpMessage ?? undefined;
}

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
