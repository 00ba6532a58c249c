import type { Socket } from 'node:net';
import { Problem } from '../runtime/problem.ts';

/** One for each connection, which may have many requests under way. */
const goneSignals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborted, with a Problem, when the client of a connection leaves.
 *
 * A client that has closed its own side alone has left as well: whether it still listens shows only when it is written to,
 * and elsewhere it is waited for, since that costs nothing.
 */
export function goneSignal(socket: Socket): AbortSignal {
  const known = goneSignals.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  const end = () => gone.abort(clientLeft());
  if (socket.destroyed || socket.readableEnded) end();
  socket.once('end', end).once('close', end);
  goneSignals.set(socket, gone.signal);
  return gone.signal;
}

/** No fault of ours, which the log would tell of. */
function clientLeft(): Problem {
  return new Problem('invalid_request', {
    detail:
      'The connection was closed from your side before this was done, so it was not. Keep it open for the answer.',
  });
}
