import type { ServerResponse } from 'node:http';

interface StreamEvent {
  /** Clients send it back as `Last-Event-ID` when they reconnect. */
  readonly id?: string;
  readonly name: string;
  readonly data: unknown;
}

/** A client that reads server-sent events (WHATWG HTML §9.2). */
export interface EventSink {
  send(event: StreamEvent): void;
  /** Keeps proxies from closing a quiet connection. */
  beat(): void;
  end(): void;
  /** Aborted when the client left or was cut off, or the stream ended. */
  readonly closed: AbortSignal;
}

/** The most bytes that wait for a slow reader. Beyond them it is cut off, and reconnects. */
export const mostWaitingBytes = 65_536;

/** Begins the answer. `retryMs` is the client's wait before it reconnects. */
export function openEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string | readonly string[]>>,
  retryMs = 2_000,
): EventSink {
  const gone = new AbortController();
  // A client that leaves closes its side first; the server itself keeps half-open connections (server.ts).
  const { socket } = response;
  const leave = () => response.destroy();
  socket?.once('end', leave);
  response.on('close', () => {
    gone.abort();
    socket?.off('end', leave); // the connection may live on, for other streams
  });
  response.writeHead(200, {
    ...(headers as Record<string, string>),
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
  });
  const write = (text: string): void => {
    if (gone.signal.aborted) return;
    response.write(text);
    if (response.writableLength > mostWaitingBytes) response.destroy();
  };
  write(`retry: ${retryMs}\n\n`);
  return {
    send: ({ id, name, data }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    beat: () => write(':\n\n'),
    end() {
      gone.abort();
      response.end();
    },
    closed: gone.signal,
  };
}
