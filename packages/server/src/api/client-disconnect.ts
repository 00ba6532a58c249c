import type { Socket } from 'node:net';
import { Problem } from '../runtime/problem.ts';

/** Per connection, which may have many requests in flight. */
const goneSignals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborted, with a Problem, when the client disconnects. A client that closed only its own side counts as disconnected.
 * Use it only for work that waits and has not begun: the Problem says that nothing was done.
 */
export function disconnectSignal(socket: Socket): AbortSignal {
  const known = goneSignals.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  const end = () => gone.abort(clientLeft());
  if (socket.destroyed || socket.readableEnded) end();
  socket.once('end', end).once('close', end);
  goneSignals.set(socket, gone.signal);
  return gone.signal;
}

function clientLeft(): Problem {
  return new Problem('invalid_request', {
    detail: 'The client closed the connection before this was done, so it was not done. Keep it open for the answer.',
  });
}
